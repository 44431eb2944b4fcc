/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Keys of 4 bytes, or with LONG_KEYS of 12. */
#ifndef KEYS_BPF_H
#define KEYS_BPF_H

#include <egpu/egpu.bpf.h>

#ifdef LONG_KEYS
struct key {
	__u32 number;
	__u32 square;
	__u32 rest;
};

static __always_inline struct key make_key(__u32 number)
{
	return (struct key){number, number * number, ~number};
}
#else
struct key {
	__u32 number;
};

static __always_inline struct key make_key(__u32 number)
{
	return (struct key){number};
}
#endif

#endif
