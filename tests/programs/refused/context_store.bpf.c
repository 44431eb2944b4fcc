// expect: line 8: the context, which is read only
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	ctx->lane_id = 0;
	return 0;
}
