// expect: the object holds no program
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

int program(struct egpu_ctx *ctx)
{
	return ctx->lane_id;
}
