// expect: line 10: there is no function bpf_task_release
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

extern void bpf_task_release(void *task) __attribute__((section(".ksyms")));

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	bpf_task_release(ctx);
	return 0;
}
