#include "maps/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "maps/fixture.h"
#include "maps/format.h"
#include "maps/values.h"

namespace egpu::maps {
namespace {

// "FIRST-LAST:COUNT", "*" where there is no bound.
std::vector<std::string> texts(const std::vector<Bucket>& buckets) {
  const auto bound = [](std::optional<std::uint64_t> number) {
    return number ? std::to_string(*number) : "*";
  };
  std::vector<std::string> all;
  all.reserve(buckets.size());
  for (const Bucket& bucket : buckets)
    all.push_back(bound(bucket.first) + "-" + bound(bucket.last) + ":" +
                  std::to_string(bucket.count));
  return all;
}

TEST(Histogram, IsKnownByItsType) {
  const Field fields = value_fields(fixture(), map_named("work"));
  EXPECT_FALSE(fields.histogram);
  EXPECT_EQ(fields.children.at(2).histogram, Scale{});
  EXPECT_EQ(fields.children.at(3).histogram, (Scale{.width = 5, .first = 10}));
  EXPECT_TRUE(is_log2_array(fixture().btf, map_named("by_size")));
  EXPECT_FALSE(is_log2_array(fixture().btf, map_named("numbers")));
}

TEST(Histogram, PowersOfTwoBeginWithZeroAndOne) {
  std::vector<std::uint64_t> slots(64);
  slots[0] = 7;
  slots[1] = 6;
  slots[3] = 5;
  EXPECT_THAT(texts(buckets_of({}, slots)),
              testing::ElementsAre("0-0:7", "1-1:6", "2-3:0", "4-7:5"));
}

TEST(Histogram, TheLastPowerOfTwoHasNoEnd) {
  std::vector<std::uint64_t> slots(64);
  slots[62] = 1;
  slots[63] = 2;
  EXPECT_THAT(
      texts(buckets_of({}, slots)),
      testing::ElementsAre("2305843009213693952-4611686018427387903:1", "4611686018427387904-*:2"));
}

TEST(Histogram, StepsHaveASlotOnEachSide) {
  EXPECT_THAT(
      texts(buckets_of({.width = 5, .first = 10}, std::vector<std::uint64_t>{1, 2, 0, 3, 4})),
      testing::ElementsAre("*-9:1", "10-14:2", "15-19:0", "20-24:3", "25-*:4"));
}

TEST(Histogram, OfNothingHasNoBuckets) {
  EXPECT_TRUE(buckets_of({}, std::vector<std::uint64_t>(64)).empty());
}

TEST(Histogram, JsonHasBucketsAndTheNamesOfKernels) {
  Work work{};
  work.largest = 1;
  work.sizes[2] = 4;
  work.depths[4] = 9;
  const std::vector<std::string> kernels = {"first", "second"};
  EXPECT_EQ(value_to_json({fixture().btf, kernels}, value_fields(fixture(), map_named("work")),
                          std::as_bytes(std::span(&work, 1))),
            nlohmann::ordered_json::parse(R"({
              "largest": 1, "largest_name": "second", "calls": 0,
              "sizes": {"histogram": "log2", "buckets": [{"first": 2, "last": 3, "count": 4}]},
              "depths": {"histogram": "linear",
                         "buckets": [{"first": 25, "last": null, "count": 9}]}})"));
}

}  // namespace
}  // namespace egpu::maps
