#include "hook/near_page.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <vector>

namespace egpu::hook {
namespace {

constexpr std::uintptr_t kReach = std::uintptr_t{1} << 30;

// An address in this program's own code, with mappings on both sides.
std::uintptr_t anchor() { return reinterpret_cast<std::uintptr_t>(&map_page_near); }

TEST(NearPage, IsInRangeAndWritable) {
  const AddressRange range{anchor() - kReach, anchor() + kReach};
  std::vector<void*> pages;
  for (int i = 0; i < 100; ++i) {
    void* const page = map_page_near(anchor(), range);
    ASSERT_NE(page, nullptr);
    const auto address = reinterpret_cast<std::uintptr_t>(page);
    EXPECT_EQ(address % kPageSize, 0u);
    EXPECT_GE(address, range.low);
    EXPECT_LE(address, range.high);
    std::memset(page, 0xcc, kPageSize);
    pages.push_back(page);
  }
  for (void* const page : pages) munmap(page, kPageSize);
}

TEST(NearPage, TakesTheOneFreePage) {
  void* const block = mmap(nullptr, 16 * kPageSize, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  const auto start = reinterpret_cast<std::uintptr_t>(block);
  const AddressRange range{start + 1, start + 14 * kPageSize};
  EXPECT_EQ(map_page_near(start, range), nullptr);
  auto* const hole = static_cast<char*>(block) + 7 * kPageSize;
  munmap(hole, kPageSize);
  EXPECT_EQ(map_page_near(start, range), hole);
  EXPECT_EQ(map_page_near(start, range), nullptr);
  munmap(block, 16 * kPageSize);
}

TEST(NearPage, PrefersTheClosest) {
  // Elsewhere, so that the page below the last one is of no use here.
  void* const elsewhere = map_page_near(anchor(), {anchor() - kReach, anchor() + kReach});
  void* const block = mmap(nullptr, 32 * kPageSize, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  const auto start = reinterpret_cast<std::uintptr_t>(block);
  const AddressRange range{start, start + 31 * kPageSize};
  auto* const bytes = static_cast<char*>(block);
  munmap(bytes + 2 * kPageSize, kPageSize);
  munmap(bytes + 20 * kPageSize, 4 * kPageSize);
  EXPECT_EQ(map_page_near(start + 18 * kPageSize, range), bytes + 20 * kPageSize);
  EXPECT_EQ(map_page_near(start + 30 * kPageSize, range), bytes + 23 * kPageSize);
  munmap(block, 32 * kPageSize);
  munmap(elsewhere, kPageSize);
}

TEST(NearPage, AnEmptyRangeHasNone) {
  EXPECT_EQ(map_page_near(anchor(), {anchor() + kReach, anchor() - kReach}), nullptr);
}

}  // namespace
}  // namespace egpu::hook
