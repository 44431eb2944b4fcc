// expect: attach point "kprobe/do_exit" is not supported
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

SEC("kprobe/do_exit")
int program(struct egpu_ctx *ctx)
{
	(void)ctx;
	return 0;
}
