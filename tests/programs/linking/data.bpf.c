/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Variables in every data section, static and global ones, and those that can be set. */
#include <egpu/egpu.bpf.h>

enum mode { MODE_OFF, MODE_ON = 7, MODE_BELOW = -3 };
enum wide { WIDE_NONE, WIDE_TOP = 0x8000000000000000ULL };

const volatile __u32 limit = 5;
const volatile __s16 shift = -2;
const volatile char label[8] = "abc";
const volatile _Bool verbose = 1;
const volatile enum mode mode = MODE_ON;
const volatile enum wide wide = WIDE_TOP;
static const volatile __u64 local_limit = 1ULL << 40;
const volatile __u32 sizes[3] = {1, 2, 3};
const __u32 fixed[4] = {4, 3, 2, 1};

volatile __u64 counter = 3;
static volatile __u32 skipped;
static volatile __u32 threshold = 9;
__u64 sums[4];
static volatile __u32 own SEC(".data.own") = 21;

SEC("gpu/entry:*")
int data(struct egpu_ctx *ctx)
{
	static const __u32 primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
	static const __u32 powers[] = {1, 2, 4, 8, 16, 32, 64, 128};
	static volatile __u32 calls;
	const char *text = "a string that is too long for registers";
	__u32 lane = ctx->lane_id & 7;

	calls++;
	if (verbose && lane > limit) {
		skipped++;
		return 0;
	}
	counter += local_limit + mode + (wide != 0) + label[lane] + sizes[lane & 1] + own;
	sums[lane & 3] += primes[lane] + powers[lane] + fixed[lane & 3] + text[lane] +
			  (threshold >> (shift & 3));
	return 0;
}
