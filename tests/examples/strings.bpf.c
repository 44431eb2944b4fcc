/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * bpf_strncmp against string literals, and text on the stack.
 *
 * expect results[0] = 1
 * expect results[1] = 2
 * expect results[2] = 4
 * expect results[3] = 0
 * expect sum results = 224
 */
#include "example.bpf.h"

SEC("gpu/entry:*")
int strings(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	char text[8] = "add";
	__u64 result = 0;

	if ((thread & 3) == 1)
		text[0] = 'o';
	if ((thread & 3) == 2)
		text[2] = 0;
	if ((thread & 3) == 3)
		text[3] = 's';
	if (bpf_strncmp(text, sizeof(text), "add") == 0)
		result |= 1;
	if (bpf_strncmp(text, sizeof(text), "odd") == 0)
		result |= 2;
	if (bpf_strncmp(text, sizeof(text), "ad") == 0)
		result |= 4;
	store_result(thread, result);
	return 0;
}
