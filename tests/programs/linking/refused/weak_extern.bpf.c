// expect: line 10: weak external function or variable "egpu_maybe"
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

extern int egpu_maybe(void) __attribute__((section(".ksyms"), weak));

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	return egpu_maybe ? egpu_maybe() : 0;
}
