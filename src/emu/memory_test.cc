#include "emu/memory.h"

#include <gtest/gtest.h>

#include <cstring>

namespace egpu::emu {
namespace {

std::byte* at(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

TEST(Memory, GivesZeroedAlignedMemory) {
  Memory memory(1 << 20);
  const std::uint64_t address = memory.allocate(1000);
  ASSERT_NE(address, 0U);
  EXPECT_EQ(address % 512, 0U);
  EXPECT_EQ(at(address)[999], std::byte{0});
  at(address)[999] = std::byte{1};
}

TEST(Memory, FindsTheRangeOfAnAddress) {
  Memory memory(1 << 20);
  const std::uint64_t address = memory.allocate(1000);
  EXPECT_EQ(memory.find(address + 999).first, address);
  EXPECT_EQ(memory.find(address + 999).end, address + 1000);
  EXPECT_FALSE(memory.find(address + 1000).contains(address + 1000, 1));
  EXPECT_FALSE(memory.find(address - 1).contains(address - 1, 1));
}

TEST(Memory, HoldsToItsLimit) {
  Memory memory(4096);
  EXPECT_EQ(memory.allocate(0), 0U);
  EXPECT_EQ(memory.allocate(~std::uint64_t{0}), 0U);
  const std::uint64_t first = memory.allocate(3000);
  EXPECT_EQ(memory.allocated(), 3072U);
  EXPECT_EQ(memory.allocate(1025), 0U);
  EXPECT_NE(memory.allocate(1024), 0U);
  EXPECT_TRUE(memory.release(first));
  EXPECT_EQ(memory.allocated(), 1024U);
}

TEST(Memory, ForgetsWhatIsReleased) {
  Memory memory(1 << 20);
  const std::uint64_t address = memory.allocate(64);
  const std::uint64_t generation = memory.generation();
  EXPECT_FALSE(memory.release(address + 8));
  EXPECT_TRUE(memory.release(address));
  EXPECT_FALSE(memory.release(address));
  EXPECT_NE(memory.generation(), generation);
  EXPECT_EQ(memory.find(address).end, 0U);
}

TEST(Memory, KnowsMemoryOfOthers) {
  Memory memory(1 << 20);
  std::byte bytes[16];
  const auto first = reinterpret_cast<std::uint64_t>(bytes);
  memory.add({first, first + 16});
  EXPECT_TRUE(memory.find(first + 8).contains(first + 8, 8));
  EXPECT_FALSE(memory.find(first + 8).contains(first + 8, 9));
  EXPECT_FALSE(memory.release(first));
  EXPECT_TRUE(memory.remove(first));
  EXPECT_FALSE(memory.remove(first));
  EXPECT_EQ(memory.allocated(), 0U);
}

TEST(Memory, AllocatesFarMoreThanItTouches) {
  constexpr std::uint64_t kTerabyte = std::uint64_t{1} << 40;
  Memory memory(2 * kTerabyte);
  const std::uint64_t address = memory.allocate(kTerabyte);
  ASSERT_NE(address, 0U);
  std::memset(at(address) + kTerabyte - 8, 1, 8);
}

}  // namespace
}  // namespace egpu::emu
