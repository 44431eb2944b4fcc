#include "verifier/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace egpu::verifier {
namespace {

constexpr std::uint64_t kUnsignedMax = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t kSignedMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kSignedMax = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

std::int64_t as_signed(std::uint64_t value) { return std::bit_cast<std::int64_t>(value); }
std::uint64_t as_unsigned(std::int64_t value) { return std::bit_cast<std::uint64_t>(value); }

// One round of what each of the three views says about the others.
void exchange_bounds(Scalar& s) {
  s.umin = std::max(s.umin, s.bits.min());
  s.umax = std::min(s.umax, s.bits.max());
  // The sign bit unknown makes the signed extremes those of its two values.
  s.smin = std::max(s.smin, as_signed(s.bits.value | (s.bits.mask & kSignBit)));
  s.smax = std::min(s.smax, as_signed(s.bits.value | (s.bits.mask & ~kSignBit)));
  // A range that does not cross the sign change is the same range in the other view.
  if (as_signed(s.umin) <= as_signed(s.umax)) {
    s.smin = std::max(s.smin, as_signed(s.umin));
    s.smax = std::min(s.smax, as_signed(s.umax));
  }
  if (as_unsigned(s.smin) <= as_unsigned(s.smax)) {
    s.umin = std::max(s.umin, as_unsigned(s.smin));
    s.umax = std::min(s.umax, as_unsigned(s.smax));
  }
}

// Makes the views agree, or gives nothing where they contradict each other.
std::optional<Scalar> settled(Scalar s) {
  for (int round = 0; round < 2; ++round) {
    exchange_bounds(s);
    if (s.umin > s.umax || s.smin > s.smax) return std::nullopt;
    const auto bits = intersect(s.bits, Tnum::range(s.umin, s.umax));
    if (!bits) return std::nullopt;
    s.bits = *bits;
  }
  exchange_bounds(s);
  if (s.umin > s.umax || s.smin > s.smax) return std::nullopt;
  return s;
}

// For results of operations, which always hold some number.
Scalar settled_result(const Scalar& s) { return settled(s).value_or(Scalar::with_bits(s.bits)); }

Scalar add(const Scalar& a, const Scalar& b) {
  Scalar sum = Scalar::with_bits(a.bits + b.bits);
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  if (!__builtin_add_overflow(a.umin, b.umin, &low) &&
      !__builtin_add_overflow(a.umax, b.umax, &high)) {
    sum.umin = low;
    sum.umax = high;
  }
  std::int64_t signed_low = 0;
  std::int64_t signed_high = 0;
  if (!__builtin_add_overflow(a.smin, b.smin, &signed_low) &&
      !__builtin_add_overflow(a.smax, b.smax, &signed_high)) {
    sum.smin = signed_low;
    sum.smax = signed_high;
  }
  return settled_result(sum);
}

Scalar subtract(const Scalar& a, const Scalar& b) {
  Scalar difference = Scalar::with_bits(a.bits - b.bits);
  if (a.umin >= b.umax) {
    difference.umin = a.umin - b.umax;
    difference.umax = a.umax - b.umin;
  }
  std::int64_t signed_low = 0;
  std::int64_t signed_high = 0;
  if (!__builtin_sub_overflow(a.smin, b.smax, &signed_low) &&
      !__builtin_sub_overflow(a.smax, b.smin, &signed_high)) {
    difference.smin = signed_low;
    difference.smax = signed_high;
  }
  return settled_result(difference);
}

Scalar multiply(const Scalar& a, const Scalar& b) {
  Scalar product = Scalar::with_bits(a.bits * b.bits);
  std::uint64_t high = 0;
  if (!__builtin_mul_overflow(a.umax, b.umax, &high)) {
    product.umin = a.umin * b.umin;
    product.umax = high;
  }
  return settled_result(product);
}

Scalar divide(const Scalar& a, const Scalar& b) {
  const auto divisor = b.as_constant();
  if (!divisor) return Scalar::unsigned_range(0, a.umax);
  if (*divisor == 0) return Scalar::constant(0);
  return Scalar::unsigned_range(a.umin / *divisor, a.umax / *divisor);
}

Scalar modulo(const Scalar& a, const Scalar& b) {
  if (a.umax < b.umin || b.umax == 0) return a;  // already smaller, or divided by zero
  const std::uint64_t below_divisor = b.umin == 0 ? a.umax : b.umax - 1;
  return Scalar::unsigned_range(0, std::min(a.umax, below_divisor));
}

Scalar shift_left(const Scalar& a, unsigned shift) {
  Scalar result = Scalar::with_bits(a.bits << shift);
  if (a.umax <= kUnsignedMax >> shift) {
    result.umin = a.umin << shift;
    result.umax = a.umax << shift;
  }
  if (a.smax <= kSignedMax >> shift && a.smin >= kSignedMin >> shift) {
    result.smin = as_signed(as_unsigned(a.smin) << shift);
    result.smax = as_signed(as_unsigned(a.smax) << shift);
  }
  return settled_result(result);
}

Scalar shift_right(const Scalar& a, unsigned shift) {
  Scalar result = Scalar::with_bits(a.bits >> shift);
  result.umin = a.umin >> shift;
  result.umax = a.umax >> shift;
  return settled_result(result);
}

Scalar shift_right_signed(const Scalar& a, unsigned shift) {
  Scalar result = Scalar::with_bits(arithmetic_shift_right(a.bits, shift));
  result.smin = a.smin >> shift;
  result.smax = a.smax >> shift;
  return settled_result(result);
}

// The shift distance is masked to the width; one that is not known leaves little of the result.
Scalar shift(bpf::AluOp op, unsigned bits, const Scalar& a, const Scalar& b) {
  const auto distance = b.zero_extended(bits == 64 ? 6 : 5).as_constant();
  if (distance) {
    const auto known = static_cast<unsigned>(*distance);
    if (op == bpf::AluOp::kLsh) return shift_left(a, known);
    return op == bpf::AluOp::kRsh ? shift_right(a, known) : shift_right_signed(a, known);
  }
  if (op == bpf::AluOp::kRsh) return Scalar::unsigned_range(0, a.umax);
  if (op == bpf::AluOp::kLsh) return Scalar::unknown();
  return Scalar::signed_range(std::min<std::int64_t>(a.smin, 0), std::max<std::int64_t>(a.smax, 0));
}

// Signed division is exact for constants alone.
Scalar divide_signed(bpf::AluOp op, const Scalar& a, const Scalar& b) {
  const auto dividend = a.as_constant();
  const auto divisor = b.as_constant();
  if (!dividend || !divisor) return Scalar::unknown();
  const bool quotient = op == bpf::AluOp::kSdiv;
  const std::int64_t x = as_signed(*dividend);
  const std::int64_t y = as_signed(*divisor);
  if (y == 0) return quotient ? Scalar::constant(0) : a;
  if (y == -1) return Scalar::constant(quotient ? 0 - *dividend : 0);
  return Scalar::constant(as_unsigned(quotient ? x / y : x % y));
}

}  // namespace

Scalar Scalar::constant(std::uint64_t value) {
  return {Tnum::constant(value), value, value, as_signed(value), as_signed(value)};
}

Scalar Scalar::unsigned_range(std::uint64_t low, std::uint64_t high) {
  Scalar scalar;
  scalar.umin = low;
  scalar.umax = high;
  return settled_result(scalar);
}

Scalar Scalar::signed_range(std::int64_t low, std::int64_t high) {
  Scalar scalar;
  scalar.smin = low;
  scalar.smax = high;
  return settled_result(scalar);
}

Scalar Scalar::with_bits(Tnum bits) {
  Scalar scalar;
  scalar.bits = bits;
  exchange_bounds(scalar);
  return scalar;
}

std::optional<std::uint64_t> Scalar::as_constant() const {
  if (umin == umax) return umin;
  return std::nullopt;
}

bool Scalar::contains(std::uint64_t number) const {
  return bits.contains(number) && number >= umin && number <= umax && as_signed(number) >= smin &&
         as_signed(number) <= smax;
}

bool Scalar::contains(const Scalar& other) const {
  return bits.contains(other.bits) && other.umin >= umin && other.umax <= umax &&
         other.smin >= smin && other.smax <= smax;
}

bool Scalar::fits_unsigned(unsigned width) const { return umax <= kUnsignedMax >> (64 - width); }

bool Scalar::fits_signed(unsigned width) const {
  return smin >= kSignedMin >> (64 - width) && smax <= kSignedMax >> (64 - width);
}

Scalar Scalar::zero_extended(unsigned width) const {
  if (fits_unsigned(width)) return *this;
  Scalar result = with_bits(bits.low(width));
  // A range whose ends agree above `width` stays a range.
  if (umin >> width == umax >> width) {
    result.umin = std::max(result.umin, umin & (kUnsignedMax >> (64 - width)));
    result.umax = std::min(result.umax, umax & (kUnsignedMax >> (64 - width)));
  }
  return settled_result(result);
}

Scalar Scalar::sign_extended(unsigned width) const {
  if (fits_signed(width)) return *this;
  const unsigned above = 64 - width;
  return shift_right_signed(shift_left(zero_extended(width), above), above);
}

Scalar join(const Scalar& a, const Scalar& b) {
  return {join(a.bits, b.bits), std::min(a.umin, b.umin), std::max(a.umax, b.umax),
          std::min(a.smin, b.smin), std::max(a.smax, b.smax)};
}

Scalar widen(const Scalar& a, const Scalar& b) {
  return {widen(a.bits, b.bits), b.umin < a.umin ? 0 : a.umin,
          b.umax > a.umax ? kUnsignedMax : a.umax, b.smin < a.smin ? kSignedMin : a.smin,
          b.smax > a.smax ? kSignedMax : a.smax};
}

std::optional<Scalar> intersect(const Scalar& a, const Scalar& b) {
  const auto bits = intersect(a.bits, b.bits);
  if (!bits) return std::nullopt;
  return settled({*bits, std::max(a.umin, b.umin), std::min(a.umax, b.umax),
                  std::max(a.smin, b.smin), std::min(a.smax, b.smax)});
}

Scalar apply(bpf::AluOp op, bpf::Width width, const Scalar& dst, const Scalar& src) {
  using bpf::AluOp;
  const unsigned bits = width == bpf::Width::k64 ? 64 : 32;
  const bool is_signed = op == AluOp::kSdiv || op == AluOp::kSmod || op == AluOp::kArsh;
  const Scalar a = is_signed ? dst.sign_extended(bits) : dst.zero_extended(bits);
  const Scalar b = is_signed ? src.sign_extended(bits) : src.zero_extended(bits);
  Scalar result;
  switch (op) {
    case AluOp::kAdd:
      result = add(a, b);
      break;
    case AluOp::kSub:
      result = subtract(a, b);
      break;
    case AluOp::kMul:
      result = multiply(a, b);
      break;
    case AluOp::kDiv:
      result = divide(a, b);
      break;
    case AluOp::kMod:
      result = modulo(a, b);
      break;
    case AluOp::kSdiv:
    case AluOp::kSmod:
      result = divide_signed(op, a, b);
      break;
    case AluOp::kAnd:
      result = Scalar::with_bits(a.bits & b.bits);
      result.umax = std::min({result.umax, a.umax, b.umax});
      break;
    case AluOp::kOr:
      result = Scalar::with_bits(a.bits | b.bits);
      result.umin = std::max({result.umin, a.umin, b.umin});
      break;
    case AluOp::kXor:
      result = Scalar::with_bits(a.bits ^ b.bits);
      break;
    case AluOp::kLsh:
    case AluOp::kRsh:
    case AluOp::kArsh:
      result = shift(op, bits, a, b);
      break;
  }
  return settled_result(result).zero_extended(bits);
}

std::string to_string(const Scalar& scalar) {
  if (const auto value = scalar.as_constant()) return fmt::format("{}", as_signed(*value));
  if (scalar.smin >= 0 && scalar.umax == kUnsignedMax >> 1) return "anything from 0";
  if (scalar.umax != kUnsignedMax && scalar.smin >= 0) {
    return fmt::format("{} to {}", scalar.umin, scalar.umax);
  }
  if (scalar.smin != kSignedMin && scalar.smax != kSignedMax) {
    return fmt::format("{} to {}", scalar.smin, scalar.smax);
  }
  return "anything";
}

}  // namespace egpu::verifier
