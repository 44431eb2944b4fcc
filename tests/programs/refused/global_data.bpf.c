// expect: line 10: this address is not supported
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

static volatile __u64 calls;

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	calls = ctx->lane_id;
	return 0;
}
