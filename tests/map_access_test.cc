// Maps that a host reads and writes while kernels run, in the emulator.
#include "session/map_access.h"

#include <cerrno>

#include "base/file.h"
#include "live_program.h"
#include "maps/values.h"

namespace egpu::testing {
namespace {

using session::MapAccess;
using session::UpdateFlag;

struct Cell {
  std::uint64_t count = 0;
  std::uint32_t gate = 0;
  std::uint32_t padding = 0;
};

class Access : public LiveProgram {
 protected:
  void SetUp() override {
    start("tests/maps/host.bpf.o");
    ASSERT_EQ(session_->live().size(), 1u);
    maps_ = session_->live()[0].maps;
    shards_ = session_->live()[0].shards;
  }

  // The sum over the parts of an element; with the error's number where there is none.
  template <class Key>
  std::uint64_t sum(const std::string& name, Key key) {
    const auto value = maps_->lookup(map(name), bytes_of(key));
    EXPECT_TRUE(value) << value.error().message;
    std::uint64_t total = 0;
    const auto size = session_->object().maps[map(name)].value_size;
    if (value)
      for (std::size_t at = 0; at < value->size(); at += size)
        total += read_at<std::uint64_t>(*value, at).value_or(0);
    return total;
  }
  template <class Key>
  int error(const std::string& name, Key key) {
    const auto value = maps_->lookup(map(name), bytes_of(key));
    return value ? 0 : value.error().number;
  }
  // What programs counted by a moment.
  std::uint64_t counted() { return sum("cells", 0U); }
  bool grows(const std::string& name, std::uint32_t key) {
    const std::uint64_t before = sum(name, key);
    return eventually([&] { return sum(name, key) > before; });
  }

  std::shared_ptr<MapAccess> maps_;
  std::uint32_t shards_ = 0;
};

TEST_F(Access, ElementsGrowWhileTheyAreRead) {
  EXPECT_TRUE(grows("cells", 0));
  EXPECT_TRUE(grows("totals", 0));
  EXPECT_TRUE(grows("per_sm", 0));
  EXPECT_TRUE(grows("lanes", 7));
  std::uint64_t last = 0;
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t lane = sum("lanes_per_sm", std::uint64_t{31});
    EXPECT_GE(lane, last);
    last = lane;
  }
  const auto parts = maps_->lookup(map("lanes_per_sm"), bytes_of(std::uint64_t{31}));
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->size(), shards_ * sizeof(std::uint64_t));

  // Reading changed nothing.
  const std::uint64_t threads = end();
  const auto report = session_->report();
  const maps::Copy copy{report.instances[0].slot, report.instances[0].shards};
  EXPECT_TRUE(report.instances[0].final);
  for (const char* name : {"totals", "per_sm", "lanes", "lanes_per_sm"}) {
    const auto entries = maps::read_entries(session_->object(), map(name), {&copy, 1});
    ASSERT_TRUE(entries);
    std::uint64_t total = 0;
    for (const auto& entry : entries->entries)
      total += read_at<std::uint64_t>(entry.value, 0).value_or(0);
    EXPECT_EQ(total, threads) << name;
  }
}

TEST_F(Access, ASnapshotIsTakenWhenItIsAskedFor) {
  const std::uint64_t before = counted();
  const auto first = maps_->snapshot();
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->published, 1u);
  EXPECT_FALSE(first->final);
  const maps::Copy copy{first->slot, shards_};
  const auto cells = maps::read_entries(session_->object(), map("cells"), {&copy, 1});
  ASSERT_TRUE(cells && !cells->entries.empty());
  const std::uint64_t then = read_at<std::uint64_t>(cells->entries[0].value, 0).value_or(0);
  EXPECT_GE(then, before);
  EXPECT_LE(then, counted());
  EXPECT_EQ(maps_->snapshot()->published, 2u);
}

TEST_F(Access, ProgramsSeeWhatIsWritten) {
  EXPECT_EQ(sum("cells", 1U), 0u);
  const Cell open{.count = 1'000'000'000'000, .gate = 1};
  ASSERT_TRUE(maps_->update(map("cells"), bytes_of(1U), bytes_of(open), UpdateFlag::kAny));
  EXPECT_TRUE(eventually([&] { return sum("cells", 1U) > open.count; }));
  const Cell closed{};
  ASSERT_TRUE(maps_->update(map("cells"), bytes_of(1U), bytes_of(closed), UpdateFlag::kExist));
  const std::uint64_t step = 1'000'000;
  ASSERT_TRUE(maps_->update(map(".data"), bytes_of(0U), bytes_of(step), UpdateFlag::kAny));
  const Cell again{.count = 0, .gate = 1};
  // What is still under way may have found the gate open, but not the step of before.
  const std::uint64_t since = counted();
  ASSERT_TRUE(eventually([&] { return counted() >= since + 2 * kThreads; }));
  ASSERT_TRUE(maps_->update(map("cells"), bytes_of(1U), bytes_of(again), UpdateFlag::kAny));
  ASSERT_TRUE(eventually([&] { return sum("cells", 1U) != 0; }));
  EXPECT_EQ(sum("cells", 1U) % step, 0u);
}

TEST_F(Access, AnElementWithShardsIsWrittenAsOneSum) {
  for (const char* name : {"per_sm", "totals"}) {
    const std::uint64_t value = 12345;
    ASSERT_TRUE(maps_->update(map(name), bytes_of(1U), bytes_of(value), UpdateFlag::kAny));
    EXPECT_EQ(sum(name, 1U), value);  // no program touches it
    EXPECT_GE(maps_->lookup(map(name), bytes_of(1U))->size(), shards_ * sizeof value);
    ASSERT_TRUE(maps_->clear(map(name)));
    EXPECT_EQ(sum(name, 1U), 0u);
  }
}

TEST_F(Access, ClearedMapsStartAnew) {
  const std::uint64_t step = 77;
  ASSERT_TRUE(maps_->update(map(".data"), bytes_of(0U), bytes_of(step), UpdateFlag::kAny));
  EXPECT_EQ(sum(".data", 0U), 77u);
  ASSERT_TRUE(maps_->clear(map(".data")));
  EXPECT_EQ(sum(".data", 0U), 1u);  // as in the source
}

TEST_F(Access, WhatCannotBeGivenHasTheNumbersOfLinux) {
  EXPECT_EQ(error("cells", 4U), ENOENT);
  EXPECT_EQ(error("lanes", 32U), ENOENT);
  EXPECT_EQ(error("lanes_per_sm", 32U), EINVAL);  // its keys have 8 bytes
  EXPECT_EQ(error("lanes_per_sm", std::uint64_t{1} << 32), ENOENT);
  const auto update = [&](std::uint32_t index, UpdateFlag flag) {
    const auto done = maps_->update(map("cells"), bytes_of(index), bytes_of(Cell{}), flag);
    return done ? 0 : done.error().number;
  };
  EXPECT_EQ(update(4, UpdateFlag::kAny), E2BIG);
  EXPECT_EQ(update(3, UpdateFlag::kNoExist), EEXIST);
  const auto small = maps_->update(map("cells"), bytes_of(0U), bytes_of(0U), UpdateFlag::kAny);
  EXPECT_EQ(small.error().number, EINVAL);
  end();
  EXPECT_EQ(error("cells", 0U), ENODEV);
  EXPECT_EQ(maps_->snapshot().error().number, ENODEV);
  EXPECT_TRUE(session_->live().empty());
}

}  // namespace
}  // namespace egpu::testing
