#include "emu/range_cache.h"

#include <gtest/gtest.h>

namespace egpu::emu {
namespace {

TEST(RangeCache, FindsWhatMemoryHolds) {
  Memory memory(1 << 20);
  RangeCache cache(memory);
  const std::uint64_t first = memory.allocate(100);
  const std::uint64_t second = memory.allocate(200);
  // Places 1 and 65 share an entry.
  for (const std::uint32_t place : {1U, 2U, 65U}) {
    EXPECT_EQ(cache.find(place, first + 99).first, first);
    EXPECT_EQ(cache.find(place, second).end, second + 200);
    EXPECT_FALSE(cache.find(place, first + 100).contains(first + 100, 1));
  }
}

TEST(RangeCache, ForgetsRangesThatWent) {
  Memory memory(1 << 20);
  RangeCache cache(memory);
  const std::uint64_t address = memory.allocate(100);
  EXPECT_TRUE(cache.find(1, address).contains(address, 100));
  ASSERT_TRUE(memory.release(address));
  EXPECT_FALSE(cache.find(1, address).contains(address, 1));
}

TEST(RangeCache, SeesRangesThatCome) {
  Memory memory(1 << 20);
  RangeCache cache(memory);
  alignas(8) static std::uint64_t own[2];
  const auto address = reinterpret_cast<std::uint64_t>(own);
  EXPECT_FALSE(cache.find(1, address).contains(address, 1));
  memory.add({address, address + sizeof own});
  EXPECT_TRUE(cache.find(1, address).contains(address, sizeof own));
}

}  // namespace
}  // namespace egpu::emu
