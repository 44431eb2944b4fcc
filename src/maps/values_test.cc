#include "maps/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "abi/map_layout.h"
#include "abi/snapshot.h"
#include "maps/fixture.h"
#include "maps/scalar.h"

namespace egpu::maps {
namespace {

// A slot whose contents tests fill in place.
class Slot {
 public:
  explicit Slot(std::uint32_t shards)
      : shards_(shards),
        specs_(map_specs(fixture())),
        bytes_(abi::map_offset(specs_.data(), specs_.size(), shards)) {}

  template <class T>
  T& at(const std::string& map, std::uint32_t shard, std::uint64_t index) {
    const std::size_t which = map_index(map);
    const abi::MapSpec& spec = specs_[which];
    return *reinterpret_cast<T*>(bytes_.data() + abi::map_offset(specs_.data(), which, shards_) +
                                 shard * abi::array_bytes(spec.value_size, spec.max_entries) +
                                 index * abi::value_stride(spec.value_size));
  }
  [[nodiscard]] Copy copy() const { return {.slot = bytes_, .shards = shards_}; }

 private:
  std::uint32_t shards_;
  std::vector<abi::MapSpec> specs_;
  std::vector<std::byte> bytes_;
};

std::uint32_t index_of(const Entry& entry) { return *read_at<std::uint32_t>(entry.key, 0); }

Everything value_of(const Entry& entry) {
  Everything value;
  EXPECT_EQ(entry.value.size(), sizeof value);
  std::memcpy(&value, entry.value.data(), sizeof value);
  return value;
}

TEST(Values, AddsShardsAndInstances) {
  Slot first(4);
  Slot second(2);
  first.at<Everything>("everything", 0, 1).count = 10;
  first.at<Everything>("everything", 3, 1).count = 5;
  second.at<Everything>("everything", 1, 1).count = 100;
  const Copy copies[] = {first.copy(), second.copy()};
  const auto result = read_entries(fixture(), map_index("everything"), copies);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->entries.size(), 1u);
  EXPECT_EQ(index_of(result->entries[0]), 1u);
  EXPECT_EQ(value_of(result->entries[0]).count, 115u);
  EXPECT_EQ(result->zero_entries, 2u);
}

TEST(Values, AddsEveryIntegerByItsOwnWidth) {
  Slot slot(2);
  Everything& a = slot.at<Everything>("everything", 0, 0);
  Everything& b = slot.at<Everything>("everything", 1, 0);
  a.count = ~0ull;
  b.count = 3;
  a.balance = -5;
  b.balance = 2;
  a.nested.b = -1;
  b.nested.b = -1;
  a.low = 7;
  b.low = 2;
  a.high = 40;
  b.high = 2;
  b.pair[1].a = 6;
  const auto copy = slot.copy();
  const auto result = read_entries(fixture(), map_index("everything"), {&copy, 1});
  ASSERT_TRUE(result);
  const Everything sum = value_of(result->entries.at(0));
  EXPECT_EQ(sum.count, 2u);
  EXPECT_EQ(sum.balance, -3);
  EXPECT_EQ(sum.nested.b, -2);
  EXPECT_EQ(sum.low, 1u);
  EXPECT_EQ(sum.high, 42u);
  EXPECT_EQ(sum.pair[1].a, 6u);
}

TEST(Values, WhatIsNoNumberComesFromTheFirstShardThatHasIt) {
  Slot slot(3);
  slot.at<Everything>("everything", 0, 0).count = 1;
  Everything& b = slot.at<Everything>("everything", 1, 0);
  b.seen = true;
  std::memcpy(b.name, "kernel", 7);
  b.colour = 1;
  slot.at<Everything>("everything", 2, 0).colour = -1;
  const auto copy = slot.copy();
  const Everything sum =
      value_of(read_entries(fixture(), map_index("everything"), {&copy, 1})->entries.at(0));
  EXPECT_TRUE(sum.seen);
  EXPECT_STREQ(sum.name, "kernel");
  EXPECT_EQ(sum.colour, 1);
}

TEST(Values, AnEntryWhoseSumWrapsToZeroCountsAsZero) {
  Slot slot(2);
  slot.at<Everything>("everything", 0, 0).balance = -4;
  slot.at<Everything>("everything", 1, 0).balance = 4;
  const auto copy = slot.copy();
  EXPECT_EQ(read_entries(fixture(), map_index("everything"), {&copy, 1})->zero_entries, 3u);
}

TEST(Values, AnArrayHasOneCopy) {
  Slot slot(5);
  slot.at<std::uint32_t>("numbers", 0, 2) = 9;
  const Copy copies[] = {slot.copy(), slot.copy()};
  const auto one = read_entries(fixture(), map_index("numbers"), {copies, 1});
  ASSERT_TRUE(one);
  ASSERT_EQ(one->entries.size(), 1u);
  EXPECT_EQ(index_of(one->entries[0]), 2u);
  EXPECT_EQ(load_bits(one->entries[0].value, 0, 32), 9u);
  EXPECT_EQ(one->zero_entries, 3u);
  EXPECT_FALSE(read_entries(fixture(), map_index("numbers"), copies));
}

// Whatever their types say: number by number, as programs added.
TEST(Values, SumsAreAddedOverTheirShards) {
  bpf::Object object;
  object.maps.push_back({.name = "sums",
                         .type = bpf::MapType::kArray,
                         .key_size = 4,
                         .value_size = 16,
                         .max_entries = 2,
                         .key_type = {},
                         .value_type = {},
                         .sum_bytes = 8});
  const std::vector<abi::MapSpec> specs = map_specs(object);
  EXPECT_EQ(specs[0].kind, abi::MapKind::kSums);
  constexpr std::uint32_t kSms = 3;
  constexpr std::uint64_t kShards = std::uint64_t{kSms} * abi::kSumShards;
  std::vector<std::byte> slot(abi::map_offset(specs.data(), 1, kSms));
  const std::uint64_t shard_bytes = abi::array_bytes(16, 2);
  ASSERT_EQ(slot.size(), shard_bytes * kShards);
  for (std::uint64_t shard = 0; shard < kShards; ++shard) {
    const std::uint64_t second[2] = {1ULL << 32, ~0ULL};  // of index 1
    std::memcpy(slot.data() + shard * shard_bytes + 16, second, sizeof second);
  }
  const Copy copy{.slot = slot, .shards = kSms};
  const auto result = read_entries(object, 0, {&copy, 1});
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(result->zero_entries, 1U);
  ASSERT_EQ(result->entries.size(), 1U);
  EXPECT_EQ(read_at<std::uint64_t>(result->entries[0].value, 0), 12ULL << 32);
  EXPECT_EQ(read_at<std::uint64_t>(result->entries[0].value, 8), ~0ULL - 11);
}

TEST(Values, BytesOfUnknownMeaningAreNotAdded) {
  const Slot slot(2);
  const auto copy = slot.copy();
  const auto result = read_entries(fixture(), map_index("untyped"), {&copy, 1});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, Fault::kInput);
  EXPECT_EQ(result.error().place, "map untyped");
  EXPECT_THAT(result.error().remedy, testing::HasSubstr("__type(value"));
}

TEST(Values, ASlotThatIsTooShortIsAnError) {
  const Slot slot(2);
  Copy copy = slot.copy();
  copy.slot = copy.slot.first(copy.slot.size() - 1);
  bool refused = false;
  for (std::size_t map = 0; map < fixture().maps.size(); ++map)
    refused = refused || !read_entries(fixture(), map, {&copy, 1});
  EXPECT_TRUE(refused);
}

}  // namespace
}  // namespace egpu::maps
