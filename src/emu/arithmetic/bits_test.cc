// Expectations are computed bit by bit, as the PTX manual's pseudocode does.
#include "emu/arithmetic/bits.h"

#include <gtest/gtest.h>

#include <vector>

namespace egpu::emu {
namespace {

constexpr std::uint32_t kValues[] = {0,          1,          0x80000000, 0xffffffff, 0x7fffffff,
                                     0x12345678, 0xdeadbeef, 0x00ff00ff, 0x80000001};
constexpr std::uint32_t kAmounts[] = {0,  1,  2,  7,  8,   15,  16,  17,         30,        31,
                                      32, 33, 63, 64, 127, 255, 256, 0x80000000, 0xffffffff};

template <class T>
bool bit(T value, unsigned at) {
  return (static_cast<std::make_unsigned_t<T>>(value) >> at & 1) != 0;
}
template <class T>
T widen(std::uint32_t value) {
  return static_cast<T>(std::uint64_t{value} << 32 | (value ^ 0x0f1e2d3c));
}

template <class T>
class ShiftTest : public testing::Test {};
using Types = testing::Types<std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                             std::uint64_t>;
TYPED_TEST_SUITE(ShiftTest, Types);

TYPED_TEST(ShiftTest, MovesEachBitAndFillsTheRest) {
  using T = TypeParam;
  constexpr unsigned kWidth = sizeof(T) * 8;
  for (const std::uint32_t seed : kValues) {
    const T value = widen<T>(seed);
    for (const std::uint32_t amount : kAmounts) {
      SCOPED_TRACE(testing::Message() << +value << " by " << amount);
      const T left = shift_left(value, amount);
      const T right = shift_right(value, amount);
      for (unsigned at = 0; at < kWidth; ++at) {
        EXPECT_EQ(bit(left, at), amount <= at && bit(value, at - amount));
        const bool fill = std::is_signed_v<T> && bit(value, kWidth - 1);
        EXPECT_EQ(bit(right, at),
                  std::uint64_t{at} + amount < kWidth ? bit(value, at + amount) : fill);
      }
    }
  }
}

template <class T>
class FieldTest : public testing::Test {};
using FieldTypes = testing::Types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(FieldTest, FieldTypes);

TYPED_TEST(FieldTest, ExtractsAsTheManualSays) {
  using T = TypeParam;
  constexpr unsigned kHighest = sizeof(T) * 8 - 1;
  for (const std::uint32_t seed : kValues) {
    const T value = widen<T>(seed);
    for (const std::uint32_t b : kAmounts) {
      for (const std::uint32_t c : kAmounts) {
        const unsigned position = b & 0xff;
        const unsigned length = c & 0xff;
        const bool fill = std::is_signed_v<T> && length != 0 &&
                          bit(value, std::min(position + length - 1, kHighest));
        const T result = extract_field(value, b, c);
        for (unsigned i = 0; i <= kHighest; ++i)
          EXPECT_EQ(bit(result, i),
                    i < length && position + i <= kHighest ? bit(value, position + i) : fill)
              << +value << " from " << position << ", " << length << " bits: bit " << i;
      }
    }
  }
}

TYPED_TEST(FieldTest, InsertsAsTheManualSays) {
  using T = std::make_unsigned_t<TypeParam>;
  constexpr unsigned kHighest = sizeof(T) * 8 - 1;
  const T field = widen<T>(0xdeadbeef);
  const T base = widen<T>(0x12345678);
  for (const std::uint32_t c : kAmounts) {
    for (const std::uint32_t d : kAmounts) {
      const unsigned position = c & 0xff;
      const unsigned length = d & 0xff;
      T expected = base;
      for (unsigned i = 0; i < length && position + i <= kHighest; ++i) {
        const T at = T{1} << (position + i);
        expected = bit(field, i) ? expected | at : expected & ~at;
      }
      EXPECT_EQ(insert_field(field, base, c, d), expected) << position << ", " << length;
    }
  }
}

TYPED_TEST(FieldTest, FindsTheHighestBitThatIsNotTheSign) {
  using T = TypeParam;
  constexpr unsigned kWidth = sizeof(T) * 8;
  for (unsigned at = 0; at + (std::is_signed_v<T> ? 1 : 0) < kWidth; ++at) {
    const T value = static_cast<T>((T{1} << at) | 1);
    EXPECT_EQ((find_highest<T, false>(value)), at);
    EXPECT_EQ((find_highest<T, true>(value)), kWidth - 1 - at);
    if (std::is_signed_v<T>) {
      EXPECT_EQ((find_highest<T, false>(static_cast<T>(~value))), at);
    }
  }
  EXPECT_EQ((find_highest<T, false>(0)), 0xffffffffU);
  EXPECT_EQ((find_highest<T, true>(0)), 0xffffffffU);
  if (std::is_signed_v<T>) {
    EXPECT_EQ((find_highest<T, false>(static_cast<T>(-1))), 0xffffffffU);
  }
}

TYPED_TEST(FieldTest, ReversesAllBits) {
  using T = std::make_unsigned_t<TypeParam>;
  constexpr unsigned kWidth = sizeof(T) * 8;
  for (const std::uint32_t seed : kValues) {
    const T value = widen<T>(seed);
    const T reversed = reverse_bits(value);
    for (unsigned at = 0; at < kWidth; ++at)
      EXPECT_EQ(bit(reversed, at), bit(value, kWidth - 1 - at));
  }
}

TEST(BitsTest, FunnelShiftsMove64Bits) {
  constexpr std::uint32_t kLow = 0x89abcdef;
  constexpr std::uint32_t kHigh = 0x01234567;
  constexpr std::uint64_t kBoth = std::uint64_t{kHigh} << 32 | kLow;
  for (const std::uint32_t amount : kAmounts) {
    const std::uint32_t wrapped = amount & 31;
    const std::uint32_t clamped = std::min(amount, 32U);
    EXPECT_EQ(funnel_left<false>(kLow, kHigh, amount), (kBoth << wrapped) >> 32);
    EXPECT_EQ(funnel_left<true>(kLow, kHigh, amount), (kBoth << clamped) >> 32);
    EXPECT_EQ(funnel_right<false>(kLow, kHigh, amount),
              static_cast<std::uint32_t>(kBoth >> wrapped));
    EXPECT_EQ(funnel_right<true>(kLow, kHigh, amount),
              static_cast<std::uint32_t>(kBoth >> clamped));
  }
}

// The manual's loop.
std::uint32_t nth_set_of_manual(std::uint32_t a, std::uint32_t b, std::int32_t c) {
  if (c == 0) return bit(a, b) ? b : 0xffffffff;
  int count = (c < 0 ? -c : c) - 1;
  for (int at = static_cast<int>(b); at >= 0 && at < 32; at += c > 0 ? 1 : -1) {
    if (!bit(a, static_cast<unsigned>(at))) continue;
    if (count-- == 0) return static_cast<std::uint32_t>(at);
  }
  return 0xffffffff;
}

TEST(BitsTest, FindsTheNthSetBit) {
  for (const std::uint32_t mask : kValues)
    for (std::uint32_t base = 0; base < 32; ++base)
      for (std::int32_t n = -33; n <= 33; ++n)
        EXPECT_EQ(find_nth_set(mask, base, n), nth_set_of_manual(mask, base, n))
            << mask << ", " << base << ", " << n;
  EXPECT_EQ(find_nth_set(0xffffffff, 32, 0), 0xffffffffU);
}

TEST(BitsTest, MasksClampOrWrap) {
  for (const std::uint32_t a : kAmounts) {
    for (const std::uint32_t b : kAmounts) {
      std::uint32_t clamped = 0;
      std::uint32_t wrapped = 0;
      for (unsigned at = 0; at < 32; ++at) {
        const auto within = [at](std::uint64_t first, std::uint64_t length) {
          return at >= first && at < first + length;
        };
        clamped |= within(a, b) ? 1U << at : 0;
        wrapped |= within(a & 31, b & 31) ? 1U << at : 0;
      }
      EXPECT_EQ(bit_mask<true>(a, b), clamped) << a << ", " << b;
      EXPECT_EQ(bit_mask<false>(a, b), wrapped) << a << ", " << b;
    }
  }
}

TEST(BitsTest, ExtendsLowBits) {
  using S = std::int32_t;
  EXPECT_EQ((extend_low_bits<S, true>(0xab, 8)), static_cast<S>(0xffffffab));
  EXPECT_EQ((extend_low_bits<S, true>(0xab, 9)), 0xab);
  EXPECT_EQ((extend_low_bits<S, true>(0xab, 1)), -1);
  EXPECT_EQ((extend_low_bits<S, true>(0xab, 0)), 0);
  EXPECT_EQ((extend_low_bits<S, true>(-5, 32)), -5);
  EXPECT_EQ((extend_low_bits<S, true>(-5, 0xffffffff)), -5);
  EXPECT_EQ((extend_low_bits<S, false>(-5, 32)), 0);
  EXPECT_EQ((extend_low_bits<S, false>(0xab, 40)), static_cast<S>(0xffffffab));
  EXPECT_EQ((extend_low_bits<std::uint32_t, true>(0xffab, 8)), 0xabU);
}

TEST(BitsTest, PermutesBytes) {
  constexpr std::uint32_t kA = 0x83828180;
  constexpr std::uint32_t kB = 0x07060504;
  EXPECT_EQ(permute_bytes(kA, kB, 0x3210), kA);
  EXPECT_EQ(permute_bytes(kA, kB, 0x7654), kB);
  EXPECT_EQ(permute_bytes(kA, kB, 0x5140), 0x05810480U);
  // The nibble's highest bit asks for the sign alone.
  EXPECT_EQ(permute_bytes(kA, kB, 0xc8fb), 0x00ff00ffU);
  // Only 16 bits of the selector count.
  EXPECT_EQ(permute_bytes(kA, kB, 0xabcd3210), kA);
}

TEST(BitsTest, PermuteModesChooseWhatTheirTablesSay) {
  constexpr std::uint32_t kA = 0x33221100;
  constexpr std::uint32_t kB = 0x77665544;
  const auto all = [](const PermuteMode& mode) {
    std::vector<std::uint32_t> results;
    for (const std::uint16_t selector : mode.selectors)
      results.push_back(permute_bytes(kA, kB, selector));
    return results;
  };
  using Results = std::vector<std::uint32_t>;
  EXPECT_EQ(all(kForwardExtract), (Results{0x33221100, 0x44332211, 0x55443322, 0x66554433}));
  EXPECT_EQ(all(kBackwardExtract), (Results{0x55667700, 0x66770011, 0x77001122, 0x00112233}));
  EXPECT_EQ(all(kReplicateByte), (Results{0, 0x11111111, 0x22222222, 0x33333333}));
  EXPECT_EQ(all(kEdgeClampLeft), (Results{0x33221100, 0x33221111, 0x33222222, 0x33333333}));
  EXPECT_EQ(all(kEdgeClampRight), (Results{0, 0x11111100, 0x22221100, 0x33221100}));
  EXPECT_EQ(all(kReplicateHalf), (Results{0x11001100, 0x33223322, 0x11001100, 0x33223322}));
}

}  // namespace
}  // namespace egpu::emu
