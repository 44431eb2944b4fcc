// Finds room for code near a library. Part of the injected library: libc alone.
#pragma once

#include <cstdint>

namespace egpu::hook {

inline constexpr std::uintptr_t kPageSize = 4096;

// Where a page may start, both ends included.
struct AddressRange {
  std::uintptr_t low;
  std::uintptr_t high;
};

// Maps one new private page, readable and writable, inside `range`: the page below the one mapped
// last where that is free, else the free one closest to `anchor`. nullptr where there is none.
// Thread-safe.
void* map_page_near(std::uintptr_t anchor, AddressRange range);

}  // namespace egpu::hook
