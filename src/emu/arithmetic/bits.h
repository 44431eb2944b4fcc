// Bit operations as PTX defines them.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace egpu::emu {

// Shift amounts are unsigned; those over the width shift everything out.
template <class T>
constexpr T shift_left(T value, std::uint32_t amount) {
  using Bits = std::make_unsigned_t<T>;
  constexpr std::uint32_t kWidth = sizeof(T) * 8;
  const auto shifted = static_cast<T>(static_cast<Bits>(value) << (amount & (kWidth - 1)));
  return amount < kWidth ? shifted : T{0};
}
// Fills with the sign where T has one.
template <class T>
constexpr T shift_right(T value, std::uint32_t amount) {
  constexpr std::uint32_t kWidth = sizeof(T) * 8;
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(value >> (amount < kWidth ? amount : kWidth - 1));
  } else {
    const T shifted = static_cast<T>(value >> (amount & (kWidth - 1)));
    return amount < kWidth ? shifted : T{0};
  }
}

// shf: 32 bits out of high:low, shifted left or right.
template <bool kClamp>
constexpr std::uint32_t funnel_amount(std::uint32_t amount) {
  return kClamp ? (amount < 32 ? amount : 32) : amount & 31;
}
template <bool kClamp>
constexpr std::uint32_t funnel_left(std::uint32_t low, std::uint32_t high, std::uint32_t amount) {
  const std::uint32_t n = funnel_amount<kClamp>(amount);
  return shift_left(high, n) | shift_right(low, 32 - n);
}
template <bool kClamp>
constexpr std::uint32_t funnel_right(std::uint32_t low, std::uint32_t high, std::uint32_t amount) {
  const std::uint32_t n = funnel_amount<kClamp>(amount);
  return shift_left(high, 32 - n) | shift_right(low, n);
}

// The position of the highest bit that differs from the sign (for unsigned: that is set); all ones
// where there is none. kShiftAmount: how far to shift left to bring it to the highest place.
template <class T, bool kShiftAmount>
constexpr std::uint32_t find_highest(T value) {
  using Bits = std::make_unsigned_t<T>;
  const Bits bits = static_cast<Bits>(value < 0 ? ~value : value);
  if (bits == 0) return ~std::uint32_t{0};
  const auto leading = static_cast<std::uint32_t>(std::countl_zero(bits));
  return kShiftAmount ? leading : static_cast<std::uint32_t>(sizeof(T) * 8 - 1) - leading;
}

// fns: the position of the n-th set bit of `mask` from bit `base` on: upward for a positive n,
// downward for a negative one; for n = 0 `base` itself if that is set. All ones: there is none.
constexpr std::uint32_t find_nth_set(std::uint32_t mask, std::uint32_t base, std::int32_t n) {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  if (base > 31) return kNone;
  if (n == 0) return (mask >> base & 1) != 0 ? base : kNone;
  const std::int32_t step = n > 0 ? 1 : -1;
  for (auto at = static_cast<std::int32_t>(base); at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) == 0) continue;
    n -= step;
    if (n == 0) return static_cast<std::uint32_t>(at);
  }
  return kNone;
}

template <class T>
constexpr T reverse_bits(T value) {
  T result = value;
  T swapped = static_cast<T>(~T{0});
  // Halves, then quarters, down to single bits.
  for (unsigned width = sizeof(T) * 4; width > 0; width /= 2) {
    swapped = static_cast<T>(swapped ^ (swapped << width));
    result = static_cast<T>((result >> width & swapped) | (result << width & ~swapped));
  }
  return result;
}

// bfe: `length` bits of `value` from `position` on, of which only the low bytes count. A signed
// field is filled with its highest bit, or with the value's where it reaches beyond.
template <class T>
constexpr T extract_field(T value, std::uint32_t position_untrusted,
                          std::uint32_t length_untrusted) {
  using Bits = std::make_unsigned_t<T>;
  constexpr std::uint32_t kWidth = sizeof(T) * 8;
  const std::uint32_t position = position_untrusted & 0xff;
  const std::uint32_t length = length_untrusted & 0xff;
  const T shifted = shift_right(value, position);
  const Bits field = static_cast<Bits>(shift_left(Bits{1}, length) - 1);
  const Bits kept = static_cast<Bits>(shifted) & field;
  if constexpr (std::is_unsigned_v<T>) {
    return kept;
  } else {
    if (length == 0) return 0;
    const std::uint32_t last = position + length - 1;
    const std::uint32_t sign_at = last < kWidth ? last : kWidth - 1;
    const bool negative = (static_cast<Bits>(value) >> sign_at & 1) != 0;
    return static_cast<T>(negative ? kept | static_cast<Bits>(~field) : kept);
  }
}

// bfi: `base` with its `length` bits from `position` on replaced by the low bits of `field`.
template <class T>
constexpr T insert_field(T field, T base, std::uint32_t position_untrusted,
                         std::uint32_t length_untrusted) {
  const std::uint32_t position = position_untrusted & 0xff;
  const std::uint32_t length = length_untrusted & 0xff;
  const T ones = static_cast<T>(shift_left(T{1}, length) - 1);
  const T mask = shift_left(ones, position);
  return static_cast<T>((base & ~mask) | (shift_left(field, position) & mask));
}

// bmsk: `length` ones from `position` on. Larger amounts clamp, or wrap around modulo 32.
template <bool kClamp>
constexpr std::uint32_t bit_mask(std::uint32_t position, std::uint32_t length) {
  if (!kClamp) return shift_left((std::uint32_t{1} << (length & 31)) - 1, position & 31);
  return shift_left(shift_left(std::uint32_t{1}, length) - 1, position);
}

// szext: the low `bits` bits, extended by their highest where T is signed, else by zeros. 0 bits
// give 0; 32 and more clamp to the whole value, or wrap around modulo 32.
template <class T, bool kClamp>
constexpr T extend_low_bits(T value, std::uint32_t bits_untrusted) {
  const std::uint32_t bits = kClamp ? bits_untrusted : bits_untrusted & 31;
  if (bits >= 32) return value;
  if (bits == 0) return 0;
  const std::uint32_t unused = 32 - bits;
  return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(value) << unused) >> unused);
}

// A bit of b:a's eight bytes: the byte that the nibble selects, or its sign where the nibble's
// highest bit is set.
constexpr std::uint32_t select_byte(std::uint64_t bytes, std::uint32_t nibble) {
  const auto byte = static_cast<std::uint32_t>(bytes >> (nibble & 7) * 8 & 0xff);
  return (nibble & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xff : 0;
}
// prmt: four bytes of b:a, selected by the low four nibbles of `selector`.
constexpr std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) result |= select_byte(bytes, selector >> 4 * i & 15) << 8 * i;
  return result;
}

// The other modes of prmt: selectors for each value of the two low bits of the third source.
struct PermuteMode {
  std::uint16_t selectors[4];
};
inline constexpr PermuteMode kForwardExtract{{0x3210, 0x4321, 0x5432, 0x6543}};
inline constexpr PermuteMode kBackwardExtract{{0x5670, 0x6701, 0x7012, 0x0123}};
inline constexpr PermuteMode kReplicateByte{{0x0000, 0x1111, 0x2222, 0x3333}};
inline constexpr PermuteMode kEdgeClampLeft{{0x3210, 0x3211, 0x3222, 0x3333}};
inline constexpr PermuteMode kEdgeClampRight{{0x0000, 0x1110, 0x2210, 0x3210}};
inline constexpr PermuteMode kReplicateHalf{{0x1010, 0x3232, 0x1010, 0x3232}};

}  // namespace egpu::emu
