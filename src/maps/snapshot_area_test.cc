#include "maps/snapshot_area.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace egpu::maps {
namespace {

constexpr abi::MapSpec kMaps[] = {
    {.kind = abi::MapKind::kPercpuArray, .key_size = 4, .value_size = 16, .max_entries = 1024},
    {.kind = abi::MapKind::kArray, .key_size = 4, .value_size = 4, .max_entries = 3}};

// What the injected library does with the area, in small.
class Writer {
 public:
  explicit Writer(const SnapshotArea& area)
      : slot_bytes_(area.slot_bytes()),
        start_(static_cast<std::byte*>(::mmap(nullptr, area.area_bytes(), PROT_READ | PROT_WRITE,
                                              MAP_SHARED, area.fd(), 0))) {}

  abi::SnapshotHeader& header() { return *reinterpret_cast<abi::SnapshotHeader*>(start_); }

  void publish(std::byte fill) {
    const std::uint64_t next = header().published.load();
    const std::uint64_t slot_span = (slot_bytes_ + 4095) / 4096 * 4096;
    header().time_ns[next % 2].store(1000 + next);
    std::fill_n(start_ + abi::kSnapshotHeaderBytes + next % 2 * slot_span, slot_bytes_, fill);
    header().published.store(next + 1);
  }

 private:
  std::uint64_t slot_bytes_;
  std::byte* start_;
};

bool all_equal(const std::vector<std::byte>& bytes) {
  return std::adjacent_find(bytes.begin(), bytes.end(), std::not_equal_to<>()) == bytes.end();
}

TEST(SnapshotArea, IsEmptyUntilSomethingIsPublished) {
  const auto area = SnapshotArea::create(kMaps, 132);
  ASSERT_TRUE(area);
  EXPECT_EQ(area->slot_bytes(), 132u * 1024 * 16 + 128);
  const auto snapshot = area->read();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->published, 0u);
  EXPECT_EQ(snapshot->time_ns, 0u);
  EXPECT_FALSE(snapshot->final);
  EXPECT_EQ(snapshot->slot, std::vector<std::byte>(area->slot_bytes()));
}

TEST(SnapshotArea, InitialValuesWaitInSlotZeroAndAreNoSnapshot) {
  auto area = SnapshotArea::create(kMaps, 2);
  ASSERT_TRUE(area);
  const std::uint64_t offset = abi::map_offset(kMaps, 1, 2);
  const std::array value{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  ASSERT_TRUE(area->set_initial(offset, value));
  std::array<std::byte, 4> written{};
  ASSERT_EQ(::pread(area->fd(), written.data(), written.size(),
                    static_cast<off_t>(abi::kSnapshotHeaderBytes + offset)),
            4);
  EXPECT_EQ(written, value);
  EXPECT_EQ(area->read()->published, 0U);
  EXPECT_EQ(area->read()->slot, std::vector<std::byte>(area->slot_bytes()));
  EXPECT_FALSE(area->set_initial(area->slot_bytes() - 3, value));
  EXPECT_FALSE(area->set_initial(~std::uint64_t{0}, value));
}

TEST(SnapshotArea, ReadsTheLastPublishedSlot) {
  const auto area = SnapshotArea::create(kMaps, 2);
  ASSERT_TRUE(area);
  Writer writer(*area);
  for (int round = 1; round <= 3; ++round) {
    writer.publish(std::byte(round));
    const auto snapshot = area->read();
    ASSERT_TRUE(snapshot);
    EXPECT_EQ(snapshot->published, static_cast<std::uint64_t>(round));
    EXPECT_EQ(snapshot->time_ns, 1000u + round - 1);
    EXPECT_THAT(snapshot->slot, testing::Each(std::byte(round)));
  }
  writer.header().final.store(1);
  writer.header().instrumented_launches.store(7);
  writer.header().fallback_launches.store(2);
  const auto last = area->read();
  EXPECT_TRUE(last->final);
  EXPECT_EQ(last->instrumented_launches, 7u);
  EXPECT_EQ(last->fallback_launches, 2u);
}

TEST(SnapshotArea, CopiesAreWholeWhileAnotherProcessPublishes) {
  const auto area = SnapshotArea::create(kMaps, 8);
  ASSERT_TRUE(area);
  const pid_t child = ::fork();
  if (child == 0) {
    Writer writer(*area);
    for (std::uint64_t round = 1;; ++round) {
      writer.publish(std::byte(round));
      if (round % 4 == 0) ::usleep(50);
    }
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  int whole = 0;
  while (std::chrono::steady_clock::now() < end) {
    const auto snapshot = area->read();
    if (!snapshot) continue;
    ++whole;
    ASSERT_TRUE(all_equal(snapshot->slot));
    ASSERT_EQ(snapshot->slot.front(), std::byte(snapshot->published));
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_GT(whole, 10);
}

TEST(SnapshotArea, OutlivesTheProcessThatWroteIt) {
  const auto area = SnapshotArea::create(kMaps, 1);
  ASSERT_TRUE(area);
  const pid_t child = ::fork();
  if (child == 0) {
    Writer(*area).publish(std::byte{5});
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_THAT(area->read()->slot, testing::Each(std::byte{5}));
}

TEST(SnapshotArea, TheObservedProcessCannotShrinkIt) {
  const auto area = SnapshotArea::create(kMaps, 1);
  ASSERT_TRUE(area);
  EXPECT_NE(::ftruncate(area->fd(), 0), 0);
  EXPECT_NE(::ftruncate(area->fd(), 1 << 30), 0);
}

TEST(SnapshotArea, RefusesMapsThatDoNotFit) {
  const abi::MapSpec huge[] = {{.kind = abi::MapKind::kPercpuArray,
                                .key_size = 4,
                                .value_size = 1 << 20,
                                .max_entries = 1 << 24}};
  const auto area = SnapshotArea::create(huge, 4096);
  ASSERT_FALSE(area);
  EXPECT_EQ(area.error().fault, Fault::kInput);
  EXPECT_THAT(area.error().message, testing::HasSubstr("4096 SMs"));
}

}  // namespace
}  // namespace egpu::maps
