/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * What helpers tell of time, place and process: facts that hold everywhere.
 *
 * expect sum results = 7936
 */
#include "example.bpf.h"

SEC("gpu/entry:*")
int around_us(struct egpu_ctx *ctx)
{
	__u64 start = bpf_ktime_get_ns();
	__u64 clock = egpu_clock();
	__u64 both = bpf_get_current_pid_tgid();
	__u64 result = 0;
	char comm[16];

	if (bpf_get_current_comm(comm, sizeof(comm)) == 0 && comm[0] != 0 && comm[15] == 0)
		result += 2;
	if (both >> 32 != 0 && (__u32)both != 0)
		result += 4;
	if ((bpf_get_prandom_u32() ^ bpf_get_prandom_u32()) != 0)
		result += 8;
	if (bpf_get_smp_processor_id() < 4096)
		result += 16;
	if (bpf_ktime_get_ns() >= start && egpu_clock() != clock)
		result += 32;
	store_result(thread_of(ctx), result);
	return 0;
}
