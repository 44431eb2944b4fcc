// expect: line 10: kernel variable "bpf_prog_active" is not supported
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

extern const int bpf_prog_active __attribute__((section(".ksyms")));

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	return bpf_prog_active;
}
