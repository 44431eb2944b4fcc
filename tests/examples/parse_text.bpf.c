/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * A state machine over a text: a switch in a loop.
 *
 * expect results[0] = 12
 * expect results[1] = 345
 * expect results[2] = 6
 * expect results[3] = 0
 * expect sum results = 11616
 */
#include "example.bpf.h"

static const char text[] = "a=12;b=345;c=6;";

SEC("gpu/entry:*")
int parse_text(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	char wanted = 'a' + (thread & 3);
	_Bool is_wanted = 0;
	__u64 number = 0;

	for (__u32 i = 0; i < sizeof(text) - 1; i++) {
		char c = *(const volatile char *)&text[i];

		switch (c) {
		case '=':
			break;
		case ';':
			is_wanted = 0;
			break;
		case '0' ... '9':
			if (is_wanted)
				number = number * 10 + (c - '0');
			break;
		default:
			is_wanted = c == wanted;
		}
	}
	store_result(thread, number);
	return 0;
}
