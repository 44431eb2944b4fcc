#include "maps/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "maps/fixture.h"
#include "maps/values.h"

namespace egpu::maps {
namespace {

Everything sample() {
  Everything value;
  std::memset(&value, 0, sizeof value);
  value.count = ~0ull;
  value.balance = -5;
  value.seen = true;
  std::memcpy(value.name, "a\x1b[mb", 5);
  value.colour = -1;
  value.nested = {7, -2};
  value.pair[1] = {9, 10};
  value.low = 5;
  value.high = 100;
  value.pointer = 0x7f00;
  return value;
}

std::map<std::string, std::string> texts(const Everything& value) {
  std::map<std::string, std::string> result;
  for (const Field& leaf : flatten(value_fields(fixture(), map_named("everything"))))
    result[leaf.name] = format_leaf({fixture().btf}, leaf, std::as_bytes(std::span(&value, 1)));
  return result;
}

TEST(Format, FollowsTheTypes) {
  auto text = texts(sample());
  EXPECT_EQ(text["count"], "18446744073709551615");
  EXPECT_EQ(text["balance"], "-5");
  EXPECT_EQ(text["seen"], "true");
  EXPECT_EQ(text["name"], "a\\x1b[mb");
  EXPECT_EQ(text["colour"], "BLUE");
  EXPECT_EQ(text["nested.b"], "-2");
  EXPECT_EQ(text["pair[1].a"], "9");
  EXPECT_EQ(text["low"], "5");
  EXPECT_EQ(text["high"], "100");
  EXPECT_EQ(text["pointer"], "0x7f00");
}

TEST(Format, AnEnumeratorWithoutANameIsItsNumber) {
  Everything value = sample();
  value.colour = -17;
  EXPECT_EQ(texts(value)["colour"], "-17");
}

TEST(Format, BytesAreHexadecimal) {
  const std::byte value[] = {std::byte{0x0a}, std::byte{0xff}, std::byte{0}};
  EXPECT_EQ(format_leaf({fixture().btf}, describe({}, std::nullopt, 3), value), "0a ff 00");
}

TEST(Format, JsonKeepsTheStructure) {
  const Everything value = sample();
  const auto json = value_to_json({fixture().btf}, value_fields(fixture(), map_named("everything")),
                                  std::as_bytes(std::span(&value, 1)));
  EXPECT_EQ(json["count"], 18446744073709551615u);
  EXPECT_EQ(json["balance"], -5);
  EXPECT_EQ(json["seen"], true);
  EXPECT_EQ(json["colour"], "BLUE");
  EXPECT_EQ(json["pair"][1]["b"], 10);
  EXPECT_EQ(json["inlined"], 0);
  EXPECT_EQ(json.begin().key(), "count");
}

}  // namespace
}  // namespace egpu::maps
