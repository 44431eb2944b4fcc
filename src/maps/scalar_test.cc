#include "maps/scalar.h"

#include <gtest/gtest.h>

namespace egpu::maps {
namespace {

TEST(Scalar, ReadsAndWritesWholeNumbers) {
  std::byte value[16] = {};
  store_bits(value, 32, 64, 0x1122334455667788);
  EXPECT_EQ(load_bits(value, 32, 64), 0x1122334455667788u);
  EXPECT_EQ(value[4], std::byte{0x88});
  EXPECT_EQ(load_bits(value, 40, 16), 0x6677u);
}

TEST(Scalar, BitFieldsLeaveTheirNeighboursAlone) {
  std::byte value[] = {std::byte{0xff}, std::byte{0xff}};
  store_bits(value, 3, 7, 0);
  EXPECT_EQ(value[0], std::byte{0x07});
  EXPECT_EQ(value[1], std::byte{0xfc});
  store_bits(value, 3, 7, 0x155);  // more than seven bits: the rest is dropped
  EXPECT_EQ(load_bits(value, 3, 7), 0x55u);
  EXPECT_EQ(load_bits(value, 0, 3), 7u);
}

TEST(Scalar, ExtendsTheSign) {
  EXPECT_EQ(sign_extend(0b111, 3), -1);
  EXPECT_EQ(sign_extend(0b011, 3), 3);
  EXPECT_EQ(sign_extend(~0ull, 64), -1);
  EXPECT_EQ(sign_extend(0xff80, 8), -128);
}

}  // namespace
}  // namespace egpu::maps
