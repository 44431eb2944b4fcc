#include "verifier/refine.h"

#include <algorithm>
#include <bit>

namespace egpu::verifier {
namespace {

using bpf::Condition;
using Operands = std::optional<std::pair<Scalar, Scalar>>;

constexpr std::uint64_t kUpperHalf = ~std::uint64_t{0} << 32;

bool is_signed(Condition condition) {
  return condition == Condition::kSgt || condition == Condition::kSge ||
         condition == Condition::kSlt || condition == Condition::kSle;
}

// The condition that holds where `condition` does not; kSet has none.
Condition negated(Condition condition) {
  switch (condition) {
    case Condition::kEq:
      return Condition::kNe;
    case Condition::kNe:
      return Condition::kEq;
    case Condition::kGt:
      return Condition::kLe;
    case Condition::kGe:
      return Condition::kLt;
    case Condition::kLt:
      return Condition::kGe;
    case Condition::kLe:
      return Condition::kGt;
    case Condition::kSgt:
      return Condition::kSle;
    case Condition::kSge:
      return Condition::kSlt;
    case Condition::kSlt:
      return Condition::kSge;
    case Condition::kSle:
      return Condition::kSgt;
    case Condition::kSet:
      break;
  }
  return condition;
}

Operands both(const std::optional<Scalar>& a, const std::optional<Scalar>& b) {
  if (!a || !b) return std::nullopt;
  return std::pair{*a, *b};
}

// `a` without the number `excluded`, which only helps at the ends of its ranges.
std::optional<Scalar> without(const Scalar& a, std::uint64_t excluded) {
  Scalar result = a;
  const auto excluded_signed = std::bit_cast<std::int64_t>(excluded);
  if (a.as_constant() == excluded) return std::nullopt;
  if (result.umin == excluded) ++result.umin;
  if (result.umax == excluded) --result.umax;
  if (result.smin == excluded_signed) ++result.smin;
  if (result.smax == excluded_signed) --result.smax;
  return intersect(result, result);
}

Operands not_equal(const Scalar& a, const Scalar& b) {
  const auto left = a.as_constant();
  const auto right = b.as_constant();
  return both(right ? without(a, *right) : a, left ? without(b, *left) : b);
}

// a <= b, or a < b where `strict`.
Operands less_unsigned(Scalar a, Scalar b, bool strict) {
  if (strict && (b.umax == 0 || a.umin == std::numeric_limits<std::uint64_t>::max())) {
    return std::nullopt;
  }
  a.umax = std::min(a.umax, b.umax - (strict ? 1 : 0));
  b.umin = std::max(b.umin, a.umin + (strict ? 1 : 0));
  return both(intersect(a, a), intersect(b, b));
}

Operands less_signed(Scalar a, Scalar b, bool strict) {
  if (strict && (b.smax == std::numeric_limits<std::int64_t>::min() ||
                 a.smin == std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  a.smax = std::min(a.smax, b.smax - (strict ? 1 : 0));
  b.smin = std::max(b.smin, a.smin + (strict ? 1 : 0));
  return both(intersect(a, a), intersect(b, b));
}

Operands swapped(Operands operands) {
  if (operands) std::swap(operands->first, operands->second);
  return operands;
}

// `a & mask` is zero, or not: tells something where the mask is known.
std::optional<Scalar> masked(const Scalar& a, const Scalar& mask, bool nonzero) {
  const auto known = mask.as_constant();
  if (!known) return a;
  if (!nonzero) return intersect(a, Scalar::with_bits({0, ~*known}));
  if (*known == 0 || (a.bits.max() & *known) == 0) return std::nullopt;
  if (!std::has_single_bit(*known)) return a;
  return intersect(a, Scalar::with_bits({*known, ~*known}));
}

Operands refine_64(Condition condition, bool holds, const Scalar& a, const Scalar& b) {
  if (condition == Condition::kSet) return both(masked(a, b, holds), masked(b, a, holds));
  switch (holds ? condition : negated(condition)) {
    case Condition::kEq: {
      const auto common = intersect(a, b);
      return both(common, common);
    }
    case Condition::kNe:
      return not_equal(a, b);
    case Condition::kLt:
      return less_unsigned(a, b, true);
    case Condition::kLe:
      return less_unsigned(a, b, false);
    case Condition::kGt:
      return swapped(less_unsigned(b, a, true));
    case Condition::kGe:
      return swapped(less_unsigned(b, a, false));
    case Condition::kSlt:
      return less_signed(a, b, true);
    case Condition::kSle:
      return less_signed(a, b, false);
    case Condition::kSgt:
      return swapped(less_signed(b, a, true));
    case Condition::kSge:
      return swapped(less_signed(b, a, false));
    case Condition::kSet:
      break;
  }
  return std::pair{a, b};
}

// What the refined low half of `whole` says about the whole number. Its bits always carry over; its
// range does where the upper half follows from the low one.
std::optional<Scalar> widened(const Scalar& whole, const Scalar& half) {
  const Tnum low = half.bits.low(32);
  const auto known = intersect(whole, Scalar::with_bits({low.value, low.mask | kUpperHalf}));
  if (!known) return std::nullopt;
  if (whole.fits_unsigned(32)) return intersect(*known, half.zero_extended(32));
  if (whole.fits_signed(32)) return intersect(*known, half.sign_extended(32));
  return known;
}

Operands refine_32(Condition condition, bool holds, const Scalar& a, const Scalar& b) {
  const bool sign = is_signed(condition);
  const auto halves = refine_64(condition, holds, sign ? a.sign_extended(32) : a.zero_extended(32),
                                sign ? b.sign_extended(32) : b.zero_extended(32));
  if (!halves) return std::nullopt;
  return both(widened(a, halves->first), widened(b, halves->second));
}

}  // namespace

std::optional<std::pair<Scalar, Scalar>> refine(Condition condition, bpf::Width width, bool holds,
                                                const Scalar& a, const Scalar& b) {
  return width == bpf::Width::k64 ? refine_64(condition, holds, a, b)
                                  : refine_32(condition, holds, a, b);
}

}  // namespace egpu::verifier
