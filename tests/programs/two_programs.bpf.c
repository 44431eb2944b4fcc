/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Two programs in one section, a third in another; all use one map. */
#include <egpu/egpu.bpf.h>

enum event { EVENT_THREAD, EVENT_BLOCK, EVENT_LAUNCH, EVENTS };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, EVENTS);
	__type(key, enum event);
	__type(value, __u64);
} events SEC(".maps");

static __always_inline int count(enum event event)
{
	__u64 *total = bpf_map_lookup_elem(&events, &event);

	if (total)
		__atomic_fetch_add(total, 1, __ATOMIC_RELAXED);
	return 0;
}

SEC("gpu/entry:*")
int threads(struct egpu_ctx *ctx)
{
	(void)ctx;
	return count(EVENT_THREAD);
}

SEC("gpu/entry:*")
int blocks(struct egpu_ctx *ctx)
{
	if (ctx->thread_idx.x | ctx->thread_idx.y | ctx->thread_idx.z)
		return 0;
	return count(EVENT_BLOCK);
}

SEC("gpu/entry:vec_add,void scale<int, float>(float*)")
int launches(struct egpu_ctx *ctx)
{
	return egpu_is_first_thread(ctx) ? count(EVENT_LAUNCH) : 0;
}
