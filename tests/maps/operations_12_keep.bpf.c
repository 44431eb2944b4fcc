/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Keys that are compared in the slot, and are never deleted. */
#include <egpu/egpu.bpf.h>

struct key {
	__u32 number;
	__u32 square;
	__u32 rest;
};

static __always_inline struct key make_key(__u32 number)
{
	return (struct key){number, number * number, ~number};
}

#define NO_DELETES
#include "hash_operations.bpf.h"
