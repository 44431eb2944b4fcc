#include "maps/top.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "bpf/btf_builder.h"
#include "maps/fixture.h"

namespace egpu::maps {
namespace {

template <class Value>
Entries entries_of(const std::vector<Value>& values) {
  Entries all;
  for (std::uint32_t key = 0; key < values.size(); ++key) {
    const auto key_bytes = std::as_bytes(std::span(&key, 1));
    const auto value_bytes = std::as_bytes(std::span(&values[key], 1));
    all.entries.push_back({.key = {key_bytes.begin(), key_bytes.end()},
                           .value = {value_bytes.begin(), value_bytes.end()}});
  }
  return all;
}

std::vector<unsigned> keys_of(const Entries& entries) {
  std::vector<unsigned> keys;
  keys.reserve(entries.entries.size());
  for (const Entry& entry : entries.entries) keys.push_back(*read_at<std::uint32_t>(entry.key, 0));
  return keys;
}

TEST(Top, TheLargestComeFirstAndEqualOnesInKeyOrder) {
  Entries entries = entries_of<std::uint32_t>({5, 9, 1, 9, 4});
  const auto rest = keep_largest(fixture(), map_named("numbers"), 3, entries);
  EXPECT_THAT(keys_of(entries), testing::ElementsAre(1, 3, 0));
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->entries, 2u);
  EXPECT_EQ(rest->field, "value");
  EXPECT_EQ(rest->sum, 5u);
}

TEST(Top, WhereAllCouldStayNothingChanges) {
  Entries entries = entries_of<std::uint32_t>({5, 9});
  EXPECT_FALSE(keep_largest(fixture(), map_named("numbers"), 2, entries));
  EXPECT_THAT(keys_of(entries), testing::ElementsAre(0, 1));
}

TEST(Top, AKernelsIdIsNoSize) {
  std::vector<Work> work(3);
  work[0] = {.largest = 9, .calls = 1, .sizes = {}, .depths = {}};
  work[1] = {.largest = 8, .calls = 2, .sizes = {}, .depths = {}};
  work[2] = {.largest = 7, .calls = 3, .sizes = {}, .depths = {}};
  Entries entries = entries_of(work);
  const auto rest = keep_largest(fixture(), map_named("work"), 1, entries);
  EXPECT_THAT(keys_of(entries), testing::ElementsAre(2));
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->field, "calls");
  EXPECT_EQ(rest->sum, 3u);
}

TEST(Top, AnArrayThatIsOneHistogramStaysWhole) {
  Entries entries = entries_of<std::uint64_t>({5, 9, 1});
  EXPECT_FALSE(keep_largest(fixture(), map_named("by_size"), 1, entries));
  EXPECT_THAT(keys_of(entries), testing::ElementsAre(0, 1, 2));
}

// A hash with values of one type.
struct OfType {
  bpf::Object object;
  bpf::MapDefinition map;
};
OfType hash_of(bpf::BtfBuilder& builder, bpf::TypeId type, std::uint32_t size) {
  OfType made;
  made.object.btf = *bpf::Btf::parse(as_bytes(builder.bytes()));
  made.map = {.name = "hash",
              .type = bpf::MapType::kHash,
              .key_size = 4,
              .value_size = size,
              .max_entries = 8,
              .key_type = {},
              .value_type = type,
              .initial = {}};
  return made;
}

TEST(Top, NegativeNumbersAreSmall) {
  bpf::BtfBuilder builder;
  const auto type = builder.integer("int", 4, true);
  const OfType hash = hash_of(builder, type, 4);
  Entries entries = entries_of<std::int32_t>({-5, 3, -7});
  const auto rest = keep_largest(hash.object, hash.map, 1, entries);
  EXPECT_THAT(keys_of(entries), testing::ElementsAre(1));
  ASSERT_TRUE(rest);
  EXPECT_TRUE(rest->is_signed);
  EXPECT_EQ(static_cast<std::int64_t>(rest->sum), -12);
}

TEST(Top, AHistogramIsAsLargeAsWhatItCounted) {
  Work few{.largest = 0, .calls = 0, .sizes = {}, .depths = {}};
  few.sizes[3] = 4;
  Work many = few;
  many.sizes[1] = 1;
  // Of the fixture's value the histogram alone.
  bpf::MapDefinition map = map_named("work");
  const auto* work = fixture().btf.resolve_as<bpf::Composite>(*map.value_type);
  ASSERT_NE(work, nullptr);
  map.value_type = work->members.at(2).type;
  map.value_size = sizeof few.sizes;
  struct Sizes {
    std::uint64_t slots[64];
  };
  std::vector<Sizes> values(2);
  std::ranges::copy(few.sizes, values[0].slots);
  std::ranges::copy(many.sizes, values[1].slots);
  Entries entries = entries_of(values);
  const auto rest = keep_largest(fixture(), map, 1, entries);
  EXPECT_THAT(keys_of(entries), testing::ElementsAre(1));
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->field, "value");
  EXPECT_EQ(rest->sum, 4u);
}

TEST(Top, WithoutNumbersTheFirstStay) {
  bpf::BtfBuilder builder;
  builder.integer("int", 4, true);
  OfType hash = hash_of(builder, {}, 12);
  hash.map.value_type.reset();  // bytes
  struct Twelve {
    std::uint8_t bytes[12];
  };
  Entries entries = entries_of<Twelve>({{{1}}, {{2}}, {{3}}});
  const auto rest = keep_largest(hash.object, hash.map, 2, entries);
  EXPECT_THAT(keys_of(entries), testing::ElementsAre(0, 1));
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->entries, 1u);
  EXPECT_EQ(rest->field, "");
}

}  // namespace
}  // namespace egpu::maps
