// Which bytes of a ring (abi/ring.h) can be read out now, and what is written back to open segments
// for their next lap. For one ring; the caller copies:
//
//   1. the header, for `committed`, and after that again, for `cursor` (in this order: see ring.h)
//   2. the bytes that plan() names, to where they are wanted
//   3. when those have arrived: for each range that frees its segment the high half of its cursor,
//      then the low half, which opens it (two writes, so that no half-written cursor is open)
//
// Everything copied is untrusted: plan() names nothing outside the ring, whatever it is given.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi/ring.h"

namespace egpu::abi {

struct RingRange {
  std::uint64_t offset = 0;    // of the first record, from the start of the ring's bytes
  std::uint64_t bytes = 0;     // whole records
  std::uint32_t sequence = 0;  // of the first record
  std::uint32_t segment = 0;
  bool frees = false;        // the segment is full and has nothing left behind this range
  std::uint64_t cursor = 0;  // then: its cursor for the next lap
};

class RingDrain {
 public:
  struct Plan {
    std::array<RingRange, kRingSegments> ranges{};  // in the order of their records
    std::size_t count = 0;
    bool damaged = false;  // the ring does not hold what GPU code can have written
  };

  explicit RingDrain(std::uint64_t ring_bytes)
      : segment_units_(static_cast<std::uint32_t>(ring_bytes / kRingSegments / kRingUnit)) {}

  // `before` and `after`: the two copies of the header. What was named counts as read.
  Plan plan(const RingHeader& before, const RingHeader& after) {
    Plan plan;
    for (std::uint32_t i = 0; i < kRingSegments; ++i) {
      const std::uint64_t epoch = epoch_ + i;
      const auto segment = static_cast<std::uint32_t>(epoch % kRingSegments);
      const auto lap = static_cast<std::uint32_t>(epoch / kRingSegments);
      const std::uint64_t cursor = after.cursor[segment];
      const auto given = static_cast<std::uint32_t>(cursor);
      const std::uint32_t end = given < segment_units_ ? given : segment_units_;
      const std::uint32_t committed = before.committed[segment] - lap * segment_units_;
      std::uint32_t& read = read_[segment];
      plan.damaged = plan.damaged || cursor != cursor_of(lap, given) || end < read ||
                     committed > segment_units_;
      // Something is reserved and not committed, or was not a moment ago.
      if (plan.damaged || committed != end) break;
      const bool full = end == segment_units_;
      if (end == read && !full) continue;
      plan.ranges[plan.count++] = {
          .offset = (std::uint64_t{segment} * segment_units_ + read) * kRingUnit,
          .bytes = std::uint64_t{end - read} * kRingUnit,
          .sequence = static_cast<std::uint32_t>(epoch) * segment_units_ + read,
          .segment = segment,
          .frees = full,
          .cursor = cursor_of(lap + 1, 0)};
      read = end;
    }
    // Given back in order, as writers go on in order: one that fills early waits for those before.
    for (std::size_t i = 0; i < plan.count; ++i) {
      RingRange& range = plan.ranges[i];
      range.frees = range.frees && range.segment == epoch_ % kRingSegments;
      if (!range.frees) continue;
      read_[range.segment] = 0;
      ++epoch_;
    }
    return plan;
  }

 private:
  static std::uint64_t cursor_of(std::uint32_t lap, std::uint32_t unit) {
    return std::uint64_t{0U - lap} << 32 | unit;
  }

  std::uint32_t segment_units_;
  std::uint64_t epoch_ = 0;                          // the oldest that is not read whole
  std::array<std::uint32_t, kRingSegments> read_{};  // units of each segment in this lap
};

}  // namespace egpu::abi
