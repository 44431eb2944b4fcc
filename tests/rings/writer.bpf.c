/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Fills rings with records whose every word follows from who wrote it and when, so that a reader
 * knows a torn, lost or repeated one (tests/ring_test.cc). site_id is the round; kernel_id seeds
 * the choice of sizes.
 */
#include <egpu/egpu.bpf.h>

struct head {
	__u32 writer;
	__u32 round;
	__u32 bytes;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

__u64 taken; /* submitted */
__u64 discarded;
__u64 refused; /* found no room */

/* The word at `at`, counted in words, of a record. */
static __always_inline __u32 word(const struct head *head, __u32 at)
{
	return (head->writer * 2654435761u) ^ (head->round * 40503u) ^ (at * 97u);
}

static __always_inline void fill(__u32 *record, const struct head *head)
{
	__u32 i;

	record[0] = head->writer;
	record[1] = head->round;
	record[2] = head->bytes;
	for (i = 3; i < head->bytes / 4; ++i)
		record[i] = word(head, i);
}

static __always_inline void count(__u64 *number)
{
	__atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
}

/* `size` is a constant on each path. */
static __always_inline void reserve(struct head *head, __u32 size, int keep)
{
	__u32 *record = bpf_ringbuf_reserve(&ring, size, 0);

	if (!record) {
		count(&refused);
		return;
	}
	head->bytes = size;
	fill(record, head);
	if (keep) {
		bpf_ringbuf_submit(record, 0);
		count(&taken);
	} else {
		bpf_ringbuf_discard(record, 0);
		count(&discarded);
	}
}

static __always_inline void output(struct head *head, __u32 choice)
{
	__u32 record[16] = {};
	__u32 bytes = 12 + (choice & 0x34);
	__u32 i;

	head->bytes = bytes;
	record[0] = head->writer;
	record[1] = head->round;
	record[2] = head->bytes;
	for (i = 3; i < 16; ++i)
		record[i] = word(head, i);
	if (bpf_ringbuf_output(&ring, record, bytes, 0) == 0)
		count(&taken);
	else
		count(&refused);
}

SEC("gpu/entry:*")
int write(struct egpu_ctx *ctx)
{
	struct head head = {
		.writer = ctx->block_idx.x * ctx->block_dim.x + ctx->thread_idx.x,
		.round = ctx->site_id,
	};
	__u32 choice = (head.writer + 1) * 747796405u + head.round * 2891336453u + ctx->kernel_id;

	choice = (choice >> (choice >> 28 | 3)) ^ choice;
	choice *= 277803737u;
	choice ^= choice >> 15;
	switch (choice % 8) {
	case 0:
		reserve(&head, 12, 1);
		break;
	case 1:
		reserve(&head, 200, 0);
		break;
	case 2:
		reserve(&head, 36, 1);
		break;
	case 3:
		reserve(&head, 500, 1);
		break;
	case 4:
		reserve(&head, 64, 0);
		break;
	case 5: /* whose size the end of the record does not know */
		reserve(&head, choice & 256 ? 24 : 100, 1);
		break;
	default:
		output(&head, choice >> 8);
	}
	return 0;
}
