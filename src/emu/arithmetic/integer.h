// Integer arithmetic as PTX defines it. Values wrap around unless a function says otherwise.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace egpu::emu {

template <class T>
using UnsignedOf = std::make_unsigned_t<T>;

// An integer type that holds every product of two T.
template <class T>
struct TwiceAsWide;
template <>
struct TwiceAsWide<std::int16_t> {
  using Type = std::int32_t;
};
template <>
struct TwiceAsWide<std::uint16_t> {
  using Type = std::uint32_t;
};
template <>
struct TwiceAsWide<std::int32_t> {
  using Type = std::int64_t;
};
template <>
struct TwiceAsWide<std::uint32_t> {
  using Type = std::uint64_t;
};
template <>
struct TwiceAsWide<std::int64_t> {
  __extension__ using Type = __int128;
};
template <>
struct TwiceAsWide<std::uint64_t> {
  __extension__ using Type = unsigned __int128;
};
template <class T>
using DoubleWidth = TwiceAsWide<T>::Type;

template <class T>
inline constexpr unsigned kBitsOf = sizeof(T) * 8;

// The sum, difference and product modulo 2^n, where C++ would promote or leave them undefined.
template <class T>
constexpr T add(T a, T b) {
  return static_cast<T>(static_cast<UnsignedOf<T>>(a) + static_cast<UnsignedOf<T>>(b));
}
template <class T>
constexpr T subtract(T a, T b) {
  return static_cast<T>(static_cast<UnsignedOf<T>>(a) - static_cast<UnsignedOf<T>>(b));
}
template <class T>
constexpr T multiply_low(T a, T b) {
  // 16-bit values would be promoted to int, whose products can overflow.
  return static_cast<T>(std::uint64_t{static_cast<UnsignedOf<T>>(a)} *
                        std::uint64_t{static_cast<UnsignedOf<T>>(b)});
}
template <>
constexpr std::uint32_t multiply_low(std::uint32_t a, std::uint32_t b) {
  return a * b;
}
template <>
constexpr std::int32_t multiply_low(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}
template <class T>
constexpr DoubleWidth<T> multiply_wide(T a, T b) {
  return static_cast<DoubleWidth<T>>(a) * b;
}
template <class T>
constexpr T multiply_high(T a, T b) {
  return static_cast<T>(multiply_wide(a, b) >> kBitsOf<T>);
}

// `value`, or the nearest T to it.
template <class T, class Wider>
constexpr T clamp_to(Wider value) {
  constexpr Wider kLeast = std::numeric_limits<T>::min();
  constexpr Wider kMost = std::numeric_limits<T>::max();
  return static_cast<T>(value < kLeast ? kLeast : value > kMost ? kMost : value);
}

constexpr std::int32_t add_saturated(std::int32_t a, std::int32_t b) {
  return clamp_to<std::int32_t>(std::int64_t{a} + b);
}
constexpr std::int32_t subtract_saturated(std::int32_t a, std::int32_t b) {
  return clamp_to<std::int32_t>(std::int64_t{a} - b);
}

// The low 24 bits of a 32-bit source.
template <class T>
constexpr T low_24_bits(T value) {
  return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(value) << 8) >> 8);
}
// mul24: of the 48-bit product the low, or (.hi) the high 32 bits.
template <class T>
constexpr T multiply_24_low(T a, T b) {
  return multiply_low(low_24_bits(a), low_24_bits(b));
}
template <class T>
constexpr T multiply_24_high(T a, T b) {
  return static_cast<T>(multiply_wide(low_24_bits(a), low_24_bits(b)) >> 16);
}

template <class T>
constexpr T sum_of_absolute_difference(T a, T b, T c) {
  return add(c, a < b ? subtract(b, a) : subtract(a, b));
}

// PTX leaves division by zero open; the code that GPUs run for it gives all ones for quotient and
// remainder. The least integer divided by -1 wraps around to itself.
//
// The host divides integers one by one, but doubles side by side. A quotient of 32-bit integers is
// at least 1/b away from the next integer, unless it is one; its rounding error is less than that.
template <class T>
constexpr T divide(T a, T b) {
  if constexpr (sizeof(T) < 8) {
    const T by_zero = b == 0;  // worked in by operators: a choice would become a jump
    const double quotient =
        __builtin_trunc(static_cast<double>(a) / static_cast<double>(static_cast<T>(b | by_zero)));
    // The low bits of the fraction of a number around 1.5 * 2^52 count in ones.
    const auto result = static_cast<T>(std::bit_cast<std::uint64_t>(quotient + 0x1.8p52));
    return static_cast<T>(result | -by_zero);
  } else {
    if (b == 0) return static_cast<T>(-1);
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return subtract(T{0}, a);
    return static_cast<T>(a / b);
  }
}
template <class T>
constexpr T remainder(T a, T b) {
  const T by_zero = b == 0;
  return static_cast<T>(subtract(a, multiply_low(divide(a, b), b)) | -by_zero);
}

template <class T>
constexpr T absolute_value(T a) {
  return a < 0 ? subtract(T{0}, a) : a;
}

// dp4a: c plus the products of the four bytes; A and B say whether each has signs.
template <class A, class B>
constexpr std::uint32_t dot_product_4(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (unsigned shift = 0; shift < 32; shift += 8)
    c += static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<A>(a >> shift)) *
                                    static_cast<std::int32_t>(static_cast<B>(b >> shift)));
  return c;
}
// dp2a: the two 16-bit halves of a times the two low bytes of b, or (.hi) its two high bytes.
template <class A, class B, bool kHigh>
constexpr std::uint32_t dot_product_2(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  b >>= kHigh ? 16 : 0;
  for (unsigned i = 0; i < 2; ++i)
    c += static_cast<std::uint32_t>(std::int64_t{static_cast<A>(a >> 16 * i)} *
                                    std::int64_t{static_cast<B>(b >> 8 * i)});
  return c;
}

// vabsdiff4: of each of the four bytes.
constexpr std::uint32_t absolute_differences(std::uint32_t a, std::uint32_t b) {
  std::uint32_t result = 0;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    const std::uint32_t x = a >> shift & 0xff;
    const std::uint32_t y = b >> shift & 0xff;
    result |= (x < y ? y - x : x - y) << shift;
  }
  return result;
}
constexpr std::uint32_t sum_of_bytes(std::uint32_t a) {
  return (a & 0xff) + (a >> 8 & 0xff) + (a >> 16 & 0xff) + (a >> 24);
}

// A result and the carry out of its highest bit.
template <class T>
struct WithCarry {
  T value;
  bool carry;
  bool operator==(const WithCarry&) const = default;
};
template <class T>
constexpr WithCarry<T> add_with_carry(T a, T b, bool carry) {
  const T sum = static_cast<T>(a + b);
  const T result = static_cast<T>(sum + (carry ? 1 : 0));
  return {result, sum < a || result < sum};
}
// a - b adds the complement of b: no carry is a borrow. The PTX manual speaks of borrows, but nvcc
// reads what sub.cc left by addc, and on an H200 gets this.
template <class T>
constexpr WithCarry<T> subtract_with_carry(T a, T b, bool carry) {
  return add_with_carry(a, static_cast<T>(~b), carry);
}

}  // namespace egpu::emu
