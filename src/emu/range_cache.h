// The ranges of Memory that one host thread's accesses fell into last.
//
// An instruction nearly always touches the same variable or allocation, whichever warp runs it: so
// the entry is chosen by the instruction's place, and outlives warps and blocks.
#pragma once

#include <array>
#include <cstdint>

#include "emu/memory.h"

namespace egpu::emu {

// Belongs to one host thread.
class RangeCache {
 public:
  explicit RangeCache(const Memory& memory) : memory_(memory) {}

  // The range that holds the address, or an empty one.
  Range find(std::uint32_t place, std::uint64_t address) {
    Range& entry = entries_[place % kEntries];
    if (memory_.generation() == generation_ && entry.contains(address, 1)) return entry;
    return look_up(entry, address);
  }

 private:
  static constexpr unsigned kEntries = 64;

  Range look_up(Range& entry, std::uint64_t address);

  const Memory& memory_;
  std::uint64_t generation_ = 0;
  std::array<Range, kEntries> entries_{};
};

}  // namespace egpu::emu
