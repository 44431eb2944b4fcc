// expect: variable names holds an address
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

static const char *const names[] = {"one", "two", "three"};

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	return names[ctx->lane_id % 3][0];
}
