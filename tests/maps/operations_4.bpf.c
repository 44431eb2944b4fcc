/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Keys that a slot holds in its first word. */
#include <egpu/egpu.bpf.h>

struct key {
	__u32 number;
};

static __always_inline struct key make_key(__u32 number)
{
	return (struct key){number};
}

#include "hash_operations.bpf.h"
