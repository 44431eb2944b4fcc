// BPF_MAP_TYPE_RINGBUF, the writing side: one ring for each shard (abi/ring.h says how it works).
// Wait-free: a thread tries each segment at most once.

#include "abi/ring.h"
#include "map.h"

// Flags of Linux that wake readers; ours comes by itself.
enum { kWakeupFlags = 3 };

// Which ring of which map.
struct Place {
  u64 map;
  u64 ring;  // its header
  u64 data;  // of all rings
  u32 shard;
  u32 bytes;  // of each ring, a power of two
};

static inline struct Place own_ring(u64 map, u32 bytes, u32 shards) {
  const u32 shard = egpu_own_shard(shards);
  const struct Place place = {.map = map,
                              .ring = map + (u64)shard * kRingHeaderBytes,
                              .data = map + (u64)shards * kRingHeaderBytes,
                              .shard = shard,
                              .bytes = bytes};
  return place;
}

static inline u64 cursor_at(u64 ring, u32 segment) {
  return ring + __builtin_offsetof(struct RingHeader, cursor) + (u64)segment * 8;
}

static inline u32 segment_units(u32 bytes) { return bytes / (kRingSegments * kRingUnit); }

static inline u64 largest_record(u32 bytes) {
  return (u64)segment_units(bytes) * kRingUnit - sizeof(struct RingRecord);
}

static inline u32 record_units(u32 size) {
  return ((u32)sizeof(struct RingRecord) + size + kRingUnit - 1) / kRingUnit;
}

// The record at the place that `cursor` of the segment gives: its header is written. Gives the
// address behind that.
static inline u64 begin_record(const struct Place* place, u32 segment, u64 cursor, u32 size) {
  const u32 unit = (u32)cursor;
  const u32 lap = 0 - (u32)(cursor >> 32);
  const u32 epoch = lap * kRingSegments + segment;
  const u32 sequence = epoch * segment_units(place->bytes) + unit;
  const u64 unit_of_ring = (u64)segment * segment_units(place->bytes) + unit;
  const u64 record = place->data + (u64)place->shard * place->bytes + unit_of_ring * kRingUnit;
  *(EGPU_GLOBAL u64*)record = (u64)sequence << 32 | size;
  return record + sizeof(struct RingRecord);
}

// Header and bytes, which this thread wrote, are there before they count.
static inline void commit(u64 ring, u32 segment, u32 units) {
  egpu_reduce_add_release_32(
      ring + __builtin_offsetof(struct RingHeader, committed) + (u64)segment * 4, units);
}

// The end of a segment, behind the last record that found room there.
static inline void pad(const struct Place* place, u32 segment, u64 cursor) {
  const u32 units = segment_units(place->bytes) - (u32)cursor;
  begin_record(place, segment, cursor, (units - 1) * kRingUnit | kRingPadding);
  commit(place->ring, segment, units);
}

static inline void drop(u64 ring) {
  egpu_reduce_add_64(ring + __builtin_offsetof(struct RingHeader, dropped), 1);
}

// The address of `size` bytes for a record, or 0: there is no room, which is counted.
static inline u64 take(const struct Place* place, u64 size) {
  // A cursor that failed additions moved this far beyond the end is set back, long before its low
  // half overflows: the reader may be dead.
  const u32 far_beyond = 1U << 30;
  const u32 all = segment_units(place->bytes);
  const u64 hint = place->ring + __builtin_offsetof(struct RingHeader, current);
  if (place->map == 0) return 0;
  if (size > largest_record(place->bytes)) {
    drop(place->ring);
    return 0;
  }
  const u32 units = record_units((u32)size);
  u32 segment = egpu_load_cached_32(hint) % kRingSegments;
  // Most end in the first round: the code of others would only fill every probed kernel.
  for (u32 tried = 0; tried < kRingSegments; tried = egpu_end_of_round(tried + 1)) {
    const u32 next = (segment + 1) % kRingSegments;
    // Read whether it is needed or not: both requests are on their way together.
    const u64 next_cursor = egpu_load_relaxed_64(cursor_at(place->ring, next));
    const u64 cursor = egpu_fetch_add_relaxed_64(cursor_at(place->ring, segment), units);
    const u32 unit = (u32)cursor;
    if (unit <= all - units) {
      if (tried != 0) egpu_store_hint_32(hint, segment);
      return begin_record(place, segment, cursor, (u32)size);
    }
    if (unit < all) pad(place, segment, cursor);
    // Does nothing where the segment was opened again meanwhile: a later lap is less.
    if (unit > far_beyond)
      egpu_reduce_min_64(cursor_at(place->ring, segment), (cursor >> 32 << 32) | all);
    if ((u32)next_cursor >= all) break;
    segment = next;
  }
  drop(place->ring);
  return 0;
}

// `address`: what take() gave for a ring of this map, whichever it was.
// `size`: what was taken, 0: not known here. Reading it back would be another round trip.
static inline void end_record(const struct Place* place, u64 address, u64 size, u32 flags) {
  const u64 record = address - sizeof(struct RingRecord);
  const u64 offset = record - place->data;
  const u64 ring = place->map + offset / place->bytes * kRingHeaderBytes;
  const u32 segment = (u32)(offset % place->bytes) / (place->bytes / kRingSegments);
  EGPU_GLOBAL u32* const written = (EGPU_GLOBAL u32*)record;
  const u32 bytes = size != 0 ? (u32)size : *written;
  if (flags != 0) *written = bytes | flags;
  commit(ring, segment, record_units(bytes));
}

// Copies a record from program memory; 0: there is no room.
static inline int output(const struct Place* place, u64 data, u64 size) {
  const u64 record = take(place, size);
  if (record == 0) return 0;
  __builtin_memcpy(__builtin_assume_aligned((char*)record, kRingUnit), (const char*)data, size);
  end_record(place, record, size, 0);
  return 1;
}

EGPU_RUNTIME u64 egpu_ringbuf_reserve(u64 map, u64 size, u64 flags, EGPU_SHAPE) {
  const struct Place place = own_ring(map, max_entries, shards);
  return flags == 0 ? take(&place, size) : 0;
}

// `bytes`: of the record, as far as the checker knows, else 0.
EGPU_RUNTIME u64 egpu_ringbuf_submit(u64 map, u64 record, u64 flags, u64 bytes, EGPU_SHAPE) {
  const struct Place place = own_ring(map, max_entries, shards);
  end_record(&place, record, bytes, 0);
  return 0;
}

EGPU_RUNTIME u64 egpu_ringbuf_discard(u64 map, u64 record, u64 flags, u64 bytes, EGPU_SHAPE) {
  const struct Place place = own_ring(map, max_entries, shards);
  end_record(&place, record, bytes, kRingDiscarded);
  return 0;
}

EGPU_RUNTIME u64 egpu_ringbuf_output(u64 map, u64 data, u64 size, u64 flags, EGPU_SHAPE) {
  const struct Place place = own_ring(map, max_entries, shards);
  if ((flags & ~(u64)kWakeupFlags) != 0) return egpu_error(kBadArgument);
  return output(&place, data, size) ? 0 : egpu_error(kTryAgain);
}

EGPU_RUNTIME u64 egpu_perf_event_array_output(u64 map, u64 context, u64 flags, u64 data, u64 size,
                                              EGPU_SHAPE) {
  const u32 this_cpu = 0xffffffff;  // BPF_F_CURRENT_CPU
  const struct Place place = own_ring(map, max_entries, shards);
  if (flags >> 32 != 0) return egpu_error(kBadArgument);
  if (flags != this_cpu && flags >= shards) return egpu_error(kTooBig);
  if (flags != this_cpu && flags != place.shard) return egpu_error(kNotSupported);
  if (size > largest_record(max_entries)) return egpu_error(kTooBig);
  return output(&place, data, size) ? 0 : egpu_error(kNoSpace);
}

// bpf_trace_printk: the record is the three values and the format, `size` bytes. Gives what the
// format has, as the line is made where it is read.
EGPU_RUNTIME u64 egpu_trace(u64 map, u64 format, u64 size, u64 first, u64 second, u64 third,
                            u32 bytes, u32 shards) {
  const struct Place place = own_ring(map, bytes, shards);
  const u64 record = take(&place, kTraceValueBytes + size);
  if (record == 0) return egpu_error(kTryAgain);
  EGPU_GLOBAL u64* const values = (EGPU_GLOBAL u64*)record;
  values[0] = first;
  values[1] = second;
  values[2] = third;
  __builtin_memcpy((char*)record + kTraceValueBytes, (const char*)format, size);
  end_record(&place, record, kTraceValueBytes + size, 0);
  return size;
}

// Of this SM's ring, in bytes. A segment counts as consumed when it is given back as a whole.
EGPU_RUNTIME u64 egpu_ringbuf_query(u64 map, u64 what, EGPU_SHAPE) {
  enum { kAvailable, kSize, kConsumed, kProduced };
  const struct Place place = own_ring(map, max_entries, shards);
  const u32 all = segment_units(max_entries);
  u64 consumed = 0;
  u64 available = 0;
  if (what == kSize) return max_entries;
  if (map == 0 || what > kProduced) return 0;
  for (u32 i = 0; i < kRingSegments; ++i) {
    const u64 cursor = egpu_load_relaxed_64(cursor_at(place.ring, i));
    const u32 unit = (u32)cursor;
    consumed += (u64)(0 - (u32)(cursor >> 32)) * all;
    available += unit < all ? unit : all;
  }
  if (what == kConsumed) return consumed * kRingUnit;
  return (what == kAvailable ? available : consumed + available) * kRingUnit;
}
