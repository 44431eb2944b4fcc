// expect: bytes of variables are more than 1 MiB
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

__u32 table[1 << 20];

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	return table[ctx->lane_id];
}
