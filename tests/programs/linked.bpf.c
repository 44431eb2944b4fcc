/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Functions, callbacks, variables and helpers in one program. */
#include <egpu/egpu.bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
} sums SEC(".maps");

const volatile __u32 rounds = 10;
const volatile __u32 only_python;
__u64 total;

static long add_index(__u32 index, void *data)
{
	*(__u64 *)data += index;
	return 0;
}

static long add_to_value(void *map, void *key, void *value, void *data)
{
	__atomic_fetch_add((__u64 *)value, *(__u64 *)data + *(__u32 *)key, __ATOMIC_RELAXED);
	return 0;
}

static __attribute__((noinline)) __u64 with_clock(__u64 number)
{
	return number + egpu_clock() + egpu_grid_id();
}

SEC("gpu/entry:*")
int linked(struct egpu_ctx *ctx)
{
	__u64 sum = bpf_get_prandom_u32();
	char command[16];

	if (only_python) {
		bpf_get_current_comm(command, sizeof(command));
		if (bpf_strncmp(command, sizeof(command), "python") != 0)
			return 0;
	}
	bpf_loop(rounds, add_index, &sum, 0);
	sum = with_clock(sum) ^ bpf_get_current_pid_tgid() ^ bpf_get_smp_processor_id();
	bpf_for_each_map_elem(&sums, add_to_value, &sum, 0);
	__atomic_fetch_add(&total, bpf_ktime_get_ns() ^ egpu_globaltimer(), __ATOMIC_RELAXED);
	return 0;
}
