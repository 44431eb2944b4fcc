// expect: line 8: r0 is a pointer to the context: a program returns a number
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

SEC("gpu/entry:*")
__u64 program(struct egpu_ctx *ctx)
{
	return (__u64)ctx;
}
