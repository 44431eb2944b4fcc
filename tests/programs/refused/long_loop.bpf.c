// expect: line 11: a path executes more than 10000 instructions
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	volatile __u64 sum = 0;

	for (__u32 i = 0; i < 1000000; i++)
		sum += i;
	(void)ctx;
	return 0;
}
