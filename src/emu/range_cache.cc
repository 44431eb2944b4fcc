#include "emu/range_cache.h"

namespace egpu::emu {

Range RangeCache::look_up(Range& entry, std::uint64_t address) {
  // Read first: a range that goes meanwhile costs one more look-up, never a stale entry.
  const std::uint64_t generation = memory_.generation();
  if (generation != generation_) entries_.fill({});
  generation_ = generation;
  entry = memory_.find(address);
  return entry;
}

}  // namespace egpu::emu
