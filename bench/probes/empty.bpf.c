/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* A probe that does nothing: what being instrumented costs by itself (bench/gpu). */
#include <egpu/egpu.bpf.h>

SEC("gpu/entry:*_probed")
int empty(struct egpu_ctx *ctx)
{
	return 0;
}
