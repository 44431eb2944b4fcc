// expect: the section does not say which kernels to probe
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

SEC("gpu/entry")
int program(struct egpu_ctx *ctx)
{
	(void)ctx;
	return 0;
}
