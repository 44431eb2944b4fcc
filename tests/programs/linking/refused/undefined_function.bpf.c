// expect: line 10: "missing" is declared, but not defined
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

int missing(void);

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	return missing();
}
