// Soundness, at random: for concrete numbers that abstract ones admit, the concrete result of every
// operation and branch is one that the abstract result admits. And precision where programs rely on
// it.
#include "verifier/scalar.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "verifier/refine.h"

namespace egpu::verifier {
namespace {

using bpf::AluOp;
using bpf::Condition;
using bpf::Width;

constexpr int kRounds = 3'000;

std::int64_t as_signed(std::uint64_t value) { return std::bit_cast<std::int64_t>(value); }

// Numbers near the places where ranges wrap.
class Numbers {
 public:
  std::uint64_t any() {
    constexpr std::uint64_t kCorners[] = {0,
                                          1,
                                          31,
                                          0x7fffffff,
                                          0x80000000,
                                          0xffffffff,
                                          0x100000000,
                                          0x7fffffffffffffff,
                                          0x8000000000000000,
                                          ~std::uint64_t{0}};
    const std::uint64_t corner = kCorners[random_() % std::size(kCorners)];
    switch (random_() % 4) {
      case 0:
        return random_();
      case 1:
        return random_() % 64;
      case 2:
        return corner;
      default:
        return corner + random_() % 16 - 8;
    }
  }

  // A number and what is known of it: some abstract value that admits it.
  std::pair<std::uint64_t, Scalar> known() {
    const std::uint64_t number = any();
    Scalar scalar;
    switch (random_() % 5) {
      case 0:
        return {number, Scalar::constant(number)};
      case 1:
        return {number, Scalar::unknown()};
      case 2: {
        const std::uint64_t other = any();
        scalar = Scalar::unsigned_range(std::min(number, other), std::max(number, other));
        break;
      }
      case 3: {
        const std::int64_t other = as_signed(any());
        scalar = Scalar::signed_range(std::min(as_signed(number), other),
                                      std::max(as_signed(number), other));
        break;
      }
      default: {
        const std::uint64_t mask = any();
        scalar = Scalar::with_bits({number & ~mask, mask});
        break;
      }
    }
    return {number, scalar};
  }

 private:
  std::mt19937_64 random_{7};  // NOLINT(bugprone-random-generator-seed): a failure must come again
};

// What the ISA says, on numbers.
std::uint64_t concrete(AluOp op, Width width, std::uint64_t a, std::uint64_t b) {
  const bool wide = width == Width::k64;
  const auto cut = [wide](std::uint64_t value) { return wide ? value : value & 0xffffffff; };
  const auto sign = [wide](std::uint64_t value) {
    return wide ? as_signed(value) : std::int64_t{static_cast<std::int32_t>(value)};
  };
  const std::uint64_t x = cut(a);
  const std::uint64_t y = cut(b);
  const unsigned shift = y & (wide ? 63 : 31);
  switch (op) {
    case AluOp::kAdd:
      return cut(x + y);
    case AluOp::kSub:
      return cut(x - y);
    case AluOp::kMul:
      return cut(x * y);
    case AluOp::kDiv:
      return y == 0 ? 0 : x / y;
    case AluOp::kMod:
      return y == 0 ? x : x % y;
    case AluOp::kOr:
      return x | y;
    case AluOp::kAnd:
      return x & y;
    case AluOp::kXor:
      return x ^ y;
    case AluOp::kLsh:
      return cut(x << shift);
    case AluOp::kRsh:
      return x >> shift;
    case AluOp::kArsh:
      return cut(static_cast<std::uint64_t>(sign(a) >> shift));
    case AluOp::kSdiv:
      if (y == 0) return 0;
      return sign(b) == -1 ? cut(0 - x) : cut(static_cast<std::uint64_t>(sign(a) / sign(b)));
    case AluOp::kSmod:
      if (y == 0) return x;
      return sign(b) == -1 ? 0 : cut(static_cast<std::uint64_t>(sign(a) % sign(b)));
  }
  return 0;
}

bool concrete(Condition condition, Width width, std::uint64_t a, std::uint64_t b) {
  const bool wide = width == Width::k64;
  const std::uint64_t x = wide ? a : a & 0xffffffff;
  const std::uint64_t y = wide ? b : b & 0xffffffff;
  const std::int64_t sx = wide ? as_signed(a) : std::int64_t{static_cast<std::int32_t>(a)};
  const std::int64_t sy = wide ? as_signed(b) : std::int64_t{static_cast<std::int32_t>(b)};
  switch (condition) {
    case Condition::kEq:
      return x == y;
    case Condition::kNe:
      return x != y;
    case Condition::kSet:
      return (x & y) != 0;
    case Condition::kGt:
      return x > y;
    case Condition::kGe:
      return x >= y;
    case Condition::kLt:
      return x < y;
    case Condition::kLe:
      return x <= y;
    case Condition::kSgt:
      return sx > sy;
    case Condition::kSge:
      return sx >= sy;
    case Condition::kSlt:
      return sx < sy;
    case Condition::kSle:
      return sx <= sy;
  }
  return false;
}

TEST(Scalar, OperationsAreSound) {
  Numbers numbers;
  for (int op = 0; op <= static_cast<int>(AluOp::kSmod); ++op) {
    for (const Width width : {Width::k32, Width::k64}) {
      for (int round = 0; round < kRounds; ++round) {
        const auto [a, known_a] = numbers.known();
        const auto [b, known_b] = numbers.known();
        const std::uint64_t result = concrete(static_cast<AluOp>(op), width, a, b);
        const Scalar known = apply(static_cast<AluOp>(op), width, known_a, known_b);
        ASSERT_TRUE(known.contains(result))
            << "operation " << op << (width == Width::k64 ? " 64: " : " 32: ") << a << " of "
            << to_string(known_a) << ", " << b << " of " << to_string(known_b) << " gives "
            << result << ", not of " << to_string(known);
      }
    }
  }
}

TEST(Scalar, BranchesAreSound) {
  Numbers numbers;
  for (int condition = 0; condition <= static_cast<int>(Condition::kSle); ++condition) {
    for (const Width width : {Width::k32, Width::k64}) {
      for (int round = 0; round < kRounds; ++round) {
        const auto [a, known_a] = numbers.known();
        const auto [b, known_b] = numbers.known();
        const bool holds = concrete(static_cast<Condition>(condition), width, a, b);
        const auto known =
            refine(static_cast<Condition>(condition), width, holds, known_a, known_b);
        ASSERT_TRUE(known && known->first.contains(a) && known->second.contains(b))
            << "condition " << condition << (width == Width::k64 ? " 64: " : " 32: ") << a << " of "
            << to_string(known_a) << ", " << b << " of " << to_string(known_b);
      }
    }
  }
}

TEST(Scalar, ExtensionsAreSound) {
  Numbers numbers;
  for (const unsigned bits : {8U, 16U, 32U, 64U}) {
    for (int round = 0; round < kRounds; ++round) {
      const auto [number, known] = numbers.known();
      const std::uint64_t above = 64 - bits;
      ASSERT_TRUE(known.zero_extended(bits).contains(number << above >> above));
      const auto extended = static_cast<std::uint64_t>(as_signed(number << above) >> above);
      ASSERT_TRUE(known.sign_extended(bits).contains(extended));
    }
  }
}

TEST(Scalar, IntersectionsKeepWhatIsInBoth) {
  Numbers numbers;
  for (int round = 0; round < kRounds; ++round) {
    const auto [a, known_a] = numbers.known();
    const auto [b, known_b] = numbers.known();
    const auto both = intersect(known_a, known_b);
    ASSERT_TRUE(!known_b.contains(a) || (both && both->contains(a)));
    ASSERT_TRUE(!known_a.contains(b) || (both && both->contains(b)));
  }
}

// What array[i & MASK], bounded shifts and comparisons need.
TEST(Scalar, IsPreciseWhereIndexesNeedIt) {
  const Scalar word = Scalar::unknown().zero_extended(32);
  const Scalar lane = apply(AluOp::kAnd, Width::k32, word, Scalar::constant(31));
  EXPECT_EQ(lane.umax, 31U);
  const Scalar offset = apply(AluOp::kLsh, Width::k64, lane, Scalar::constant(3));
  EXPECT_EQ(offset.umax, 248U);
  EXPECT_TRUE(offset.bits.is_aligned(8));
  EXPECT_EQ(apply(AluOp::kMod, Width::k32, word, Scalar::constant(10)).umax, 9U);
  EXPECT_EQ(apply(AluOp::kRsh, Width::k32, word, Scalar::constant(24)).umax, 255U);
  EXPECT_EQ(apply(AluOp::kDiv, Width::k32, word, Scalar::constant(1U << 30)).umax, 3U);
  const Scalar moved = apply(AluOp::kAdd, Width::k64, lane, Scalar::constant(~std::uint64_t{0}));
  EXPECT_EQ(moved.smin, -1);
  EXPECT_EQ(moved.smax, 30);
}

// What is known of `a` where `a condition b` holds, or does not.
Scalar known(Condition condition, Width width, bool holds, const Scalar& a, std::uint64_t b) {
  const auto operands = refine(condition, width, holds, a, Scalar::constant(b));
  EXPECT_TRUE(operands) << "said to be impossible";
  return operands ? operands->first : Scalar::constant(0);
}

TEST(Refine, NarrowsRanges) {
  const Scalar word = Scalar::unknown().zero_extended(32);
  EXPECT_EQ(known(Condition::kLt, Width::k64, true, word, 10).umax, 9U);
  EXPECT_EQ(known(Condition::kGt, Width::k32, false, word, 47).umax, 47U);
  EXPECT_EQ(known(Condition::kLt, Width::k64, false, word, 10).umin, 10U);
  EXPECT_EQ(known(Condition::kSgt, Width::k64, true, Scalar::unknown(), 0).smin, 1);
  EXPECT_EQ(known(Condition::kEq, Width::k64, true, word, 7).as_constant(), 7U);
  EXPECT_EQ(known(Condition::kSet, Width::k64, true, word, 1).umin, 1U);
}

TEST(Refine, KnowsWhatCannotBe) {
  const Scalar word = Scalar::unknown().zero_extended(32);
  EXPECT_FALSE(refine(Condition::kEq, Width::k64, true, word, Scalar::constant(1ULL << 40)));
  EXPECT_FALSE(refine(Condition::kLt, Width::k64, true, word, Scalar::constant(0)));
}

TEST(Refine, ThirtyTwoBitsSayNothingOfTheUpperHalf) {
  const Scalar low = known(Condition::kLt, Width::k32, true, Scalar::unknown(), 8);
  EXPECT_EQ(low.umax >> 32, 0xffffffffU);
  EXPECT_LT(low.zero_extended(32).umax, 8U);
}

}  // namespace
}  // namespace egpu::verifier
