// expect: line 10: atomic operations work on values of maps alone
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	volatile __u64 local = ctx->lane_id;

	return (int)__sync_fetch_and_add(&local, 1);
}
