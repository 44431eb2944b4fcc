// expect: line 10: "CONFIG_HZ" of the kernel's configuration
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

extern int CONFIG_HZ __attribute__((section(".kconfig")));

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	return CONFIG_HZ;
}
