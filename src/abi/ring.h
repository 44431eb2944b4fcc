// The ring of a BPF_MAP_TYPE_RINGBUF map: shared by the GPU runtime (C), which fills it, and by who
// reads it out (C++). Plain data, no dependencies.
//
// A map has one ring for each shard (SM): `shards` ring headers, one after the other, then `shards`
// times the bytes that the map's max_entries says, a power of two. Those of a ring are
// kRingSegments segments of equal size, which are used in turn: epoch 0, 1, 2, ... is segment
// epoch % kRingSegments in its lap epoch / kRingSegments.
//
// The problem: a GPU thread must get its place with one atomic operation, must never wait for
// anybody, and the reader can neither do atomic operations on device memory nor run a kernel (the
// GPU may be full for a minute): it can copy. So a place is an addition to the segment's cursor. An
// addition that goes past the end has no place, and nothing needs to be undone: the reader, once it
// has copied all of a full segment, writes its cursor anew, which opens it for the next lap.
//
// A segment is read up to where the cursor was, as soon as as much was committed as was given out:
// `committed` is copied first and `cursor` afterwards, so equal numbers mean that all of it is
// there. Whoever finds too little room at the end fills it with padding, so a full segment has all
// its units committed. Until then, records that were reserved and not committed hold back the
// reader of this ring alone.
//
// Sizes are counted in units of 8 bytes. A record is a header of one unit and its bytes, rounded
// up; it lies in one segment.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
namespace egpu::abi {
#endif

enum {
  kRingUnit = 8,
  kRingSegments = 4,
  kRingHeaderBytes = 256,  // no two SMs share a line
};

struct RingHeader {
  uint32_t committed[kRingSegments];  // units of each segment, in all its laps, modulo 2^32
  // Low half: units given out in this lap; at least as many as the segment has where it is full.
  // High half: minus the lap, so that the cursor of a later lap is less, as a signed number.
  uint64_t cursor[kRingSegments];
  uint64_t dropped;  // records that found no room
  uint32_t reserved[18];
  // The segment that was last seen open: a hint, in a line without atomic operations, which would
  // take it out of the SM's cache.
  uint32_t current;
  uint32_t reserved_too[31];  // up to kRingHeaderBytes
};

// The first unit of a record.
struct RingRecord {
  uint32_t size;      // bytes that follow, and flags
  uint32_t sequence;  // where it starts: units since the ring began, modulo 2^32
};

// A record of bpf_trace_printk: three values of 8 bytes, then the format with its NUL.
enum { kTraceValueBytes = 24 };

// In RingRecord::size. Discarded is the number of BPF_RINGBUF_DISCARD_BIT of Linux.
enum {
  kRingDiscarded = 0x40000000,
  kRingPadding = 0x20000000,
  kRingSizeMask = 0x1fffffff,
};

#ifdef __cplusplus

static_assert(sizeof(RingHeader) == kRingHeaderBytes);
static_assert(offsetof(RingHeader, current) == 128);
static_assert(sizeof(RingRecord) == kRingUnit);

// Of a map: headers of all shards, then their bytes. `ring_bytes`: max_entries.
constexpr uint64_t ring_map_bytes(uint64_t ring_bytes, uint64_t shards) {
  return shards * (kRingHeaderBytes + ring_bytes);
}
// Where the bytes of a shard's ring begin in its map.
constexpr uint64_t ring_data_offset(uint64_t ring_bytes, uint64_t shards, uint64_t shard) {
  return shards * kRingHeaderBytes + shard * ring_bytes;
}

}  // namespace egpu::abi
#endif
