#include "base/hex.h"

#include <gtest/gtest.h>

namespace egpu {
namespace {

TEST(Hex, IgnoresWhiteSpaceBetweenBytes) {
  const std::vector<std::byte> expected = {std::byte{0xb7}, std::byte{0}, std::byte{0xFf}};
  EXPECT_EQ(*parse_hex("b700Ff"), expected);
  EXPECT_EQ(*parse_hex(" b7 00\tFf\r\n"), expected);
  EXPECT_TRUE(parse_hex("")->empty());
}

TEST(Hex, RefusesHalfBytesAndOtherCharacters) {
  EXPECT_EQ(parse_hex("b7 0").error().place, "character 4");
  EXPECT_EQ(parse_hex("b 7").error().place, "character 1");
  EXPECT_EQ(parse_hex("0xb7").error().place, "character 1");
}

}  // namespace
}  // namespace egpu
