// Blocks that meet in tables which are too small for them to be alone.
#include "device/meeting.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "device/portable.h"

namespace egpu::device {
namespace {

constexpr u32 kCells = 32;  // for 6 blocks: fuller than that of a GPU gets

constexpr std::size_t kTableWords = std::size_t{kCells} * kMeetingCellBytes / sizeof(u64);

using Table = std::vector<u64>;

// A block whose threads come in groups.
struct Block {
  MeetingPlace place;
  std::vector<u32> groups;  // threads in each
  u32 threads = 0;
  std::atomic<u32> next = 0;
  std::atomic<u32> firsts = 0;
  std::atomic<u32> lasts = 0;
  std::atomic<u32> left = 0;  // groups that have not come

  Block(Table& table, u64 number, std::mt19937_64& random)
      : place{.table = reinterpret_cast<u64>(table.data()),
              .hash = egpu_mix(number),
              .cells = kCells} {
    groups.resize(1 + random() % 6);
    for (u32& group : groups) threads += group = 1 + static_cast<u32>(random() % 32);
    left = static_cast<u32>(groups.size());
  }

  // The next group comes; whether it found a cell, or nobody was left to come.
  bool come() {
    const u32 group = next++;
    if (group >= groups.size()) return true;
    const Arrival arrival = egpu_arrive(&place, groups[group]);
    if (arrival.cell == 0) return false;
    firsts += arrival.is_first;
    lasts += egpu_is_last(&place, &arrival, groups[group], threads);
    --left;
    return true;
  }
};

TEST(Meeting, OneIsFirstAndOneIsLastInAnyOrder) {
  for (u64 seed = 0; seed < 2000; ++seed) {
    std::mt19937_64 random(seed);
    Table table(kTableWords);
    std::vector<std::unique_ptr<Block>> here;
    for (u64 number = 0; number < 40 || !here.empty();) {
      if (number < 40 && here.size() < 6 && random() % 2 == 0)
        here.push_back(std::make_unique<Block>(table, seed * 100 + number++, random));
      if (here.empty()) continue;
      const std::size_t chosen = random() % here.size();
      Block& block = *here[chosen];
      ASSERT_TRUE(block.come());
      ASSERT_EQ(block.firsts, 1U) << "whoever came first was";
      if (block.left != 0) {
        ASSERT_EQ(block.lasts, 0U);
        continue;
      }
      ASSERT_EQ(block.lasts, 1U);
      here.erase(here.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
    ASSERT_EQ(table, Table(table.size())) << "seed " << seed << ": every cell is free again";
  }
}

TEST(Meeting, OneIsFirstAndOneIsLastAtTheSameTime) {
  std::mt19937_64 random(1);
  Table table(kTableWords);
  for (u64 round = 0; round < 500; ++round) {
    std::vector<std::unique_ptr<Block>> blocks;
    blocks.reserve(6);
    for (u64 i = 0; i < 6; ++i)
      blocks.push_back(std::make_unique<Block>(table, round * 6 + i, random));
    {
      std::vector<std::jthread> threads;
      threads.reserve(3);
      for (u64 thread = 0; thread < 3; ++thread)
        threads.emplace_back([&, thread] {
          for (u64 turn = 0; turn < 6; ++turn)
            for (u64 i = 0; i < 6; ++i) blocks[(i + 2 * thread) % 6]->come();
        });
    }
    for (const auto& block : blocks) {
      ASSERT_EQ(block->firsts, 1U);
      ASSERT_EQ(block->lasts, 1U);
    }
    ASSERT_EQ(table, Table(table.size()));
  }
}

TEST(Meeting, WhoFindsNoCellLeavesNoTrace) {
  std::mt19937_64 random(1);
  Table table(kTableWords);
  std::vector<std::unique_ptr<Block>> blocks;
  for (u64 i = 0; i < kCells; ++i) {
    blocks.push_back(std::make_unique<Block>(table, i, random));
    blocks.back()->groups.push_back(1);  // one more is to come
    blocks.back()->threads += 1;
    while (blocks.back()->next + 1 < blocks.back()->groups.size()) blocks.back()->come();
  }
  const Table full = table;
  Block late(table, 1000, random);
  EXPECT_FALSE(late.come());
  EXPECT_EQ(table, full);
  for (const auto& block : blocks) EXPECT_TRUE(block->come());
  EXPECT_EQ(table, Table(table.size()));
}

}  // namespace
}  // namespace egpu::device
