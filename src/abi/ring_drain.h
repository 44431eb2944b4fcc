// Which bytes of a ring (abi/ring.h) can be read out now, and what is written back to open segments
// for their next lap. For one ring; the caller copies:
//
//   1. the header, for `committed`, and after that again, for `cursor` (in this order: see ring.h)
//   2. the bytes of each range that advance() hands out, to where they are wanted
//   3. when those have arrived: for each segment that advance() names the high half of its cursor,
//      then the low half, which opens it (two writes, so that no half-written cursor is open)
//
// Everything copied is untrusted: nothing outside the ring is named, whatever the headers hold.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "abi/ring.h"

namespace egpu::abi {

struct RingRange {
  std::uint64_t offset = 0;    // of the first record, from the start of the ring's bytes
  std::uint64_t bytes = 0;     // whole records
  std::uint32_t sequence = 0;  // of the first record
};

// A segment that was read whole, and its cursor for the next lap.
struct RingOpening {
  std::uint32_t segment = 0;
  std::uint64_t cursor = 0;
};

class RingDrain {
 public:
  struct Advance {
    std::array<RingOpening, kRingSegments> openings{};
    std::uint32_t opening_count = 0;
    bool damaged = false;  // the ring does not hold what GPU code can have written
  };

  explicit RingDrain(std::uint64_t ring_bytes)
      : segment_units_(static_cast<std::uint32_t>(ring_bytes / kRingSegments / kRingUnit)) {}

  // Units that were given out and are not read, of all segments: how full the ring is.
  [[nodiscard]] std::uint32_t waiting_units(const RingHeader& header) const {
    std::uint32_t units = 0;
    for (std::uint32_t i = 0; i < kRingSegments; ++i) {
      const std::uint32_t end = end_of(header, i);
      units += end > read_[i] ? end - read_[i] : 0;
    }
    return units;
  }

  // `before` and `after`: the two copies of the header. `take` gets the ranges, in the order of
  // their records; what it takes counts as read, and where it gives false the rest is left for
  // later.
  template <class Take>
  Advance advance(const RingHeader& before, const RingHeader& after, Take take) {
    Advance result;
    for (std::uint32_t i = 0; i < kRingSegments; ++i) {
      const std::uint64_t epoch = epoch_ + i;
      const auto segment = static_cast<std::uint32_t>(epoch % kRingSegments);
      const auto lap = static_cast<std::uint32_t>(epoch / kRingSegments);
      const std::uint64_t cursor = after.cursor[segment];
      const std::uint32_t end = end_of(after, segment);
      const std::uint32_t committed = before.committed[segment] - lap * segment_units_;
      std::uint32_t& read = read_[segment];
      result.damaged =
          cursor >> 32 != cursor_of(lap, 0) >> 32 || end < read || committed > segment_units_;
      // Something is reserved and not committed, or was not a moment ago.
      if (result.damaged || committed != end) break;
      const RingRange range{.offset = (std::uint64_t{segment} * segment_units_ + read) * kRingUnit,
                            .bytes = std::uint64_t{end - read} * kRingUnit,
                            .sequence = static_cast<std::uint32_t>(epoch) * segment_units_ + read};
      if (range.bytes != 0 && !take(range)) break;
      read = end;
    }
    // Opened in order, as writers go on in order: one that filled early waits for those before.
    for (std::uint32_t segment = epoch_ % kRingSegments; read_[segment] == segment_units_;
         segment = epoch_ % kRingSegments) {
      const auto lap = static_cast<std::uint32_t>(epoch_ / kRingSegments);
      result.openings[result.opening_count++] = {segment, cursor_of(lap + 1, 0)};
      read_[segment] = 0;
      ++epoch_;
    }
    return result;
  }

 private:
  // Units of the segment that were given out in its lap.
  [[nodiscard]] std::uint32_t end_of(const RingHeader& header, std::uint32_t segment) const {
    const auto given = static_cast<std::uint32_t>(header.cursor[segment]);
    return given < segment_units_ ? given : segment_units_;
  }
  static std::uint64_t cursor_of(std::uint32_t lap, std::uint32_t unit) {
    return std::uint64_t{0U - lap} << 32 | unit;
  }

  std::uint32_t segment_units_;
  std::uint64_t epoch_ = 0;                          // the oldest that is not read whole
  std::array<std::uint32_t, kRingSegments> read_{};  // units of each segment in this lap
};

}  // namespace egpu::abi
