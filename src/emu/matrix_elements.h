// Elements of the matrices that tensor cores multiply.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "emu/arithmetic/float_format.h"
#include "emu/arithmetic/half.h"

namespace egpu::emu {

// Each gives an element as a double, which holds all of them. `Lane`: of the registers with them.
struct ElementF16 {
  using Lane = std::uint32_t;
  static constexpr unsigned kBits = 16;
  static double of(std::uint32_t bits) { return F16::widen(static_cast<std::uint16_t>(bits)); }
};
struct ElementBf16 {
  using Lane = std::uint32_t;
  static constexpr unsigned kBits = 16;
  static double of(std::uint32_t bits) { return BF16::widen(static_cast<std::uint16_t>(bits)); }
};
// Of single precision, without the low bits of the fraction.
struct ElementTf32 {
  using Lane = std::uint32_t;
  static constexpr unsigned kBits = 32;
  static double of(std::uint32_t bits) { return std::bit_cast<float>(bits & 0xffff'e000); }
};
template <FloatFormat kFormat>
struct ElementFloat8 {
  using Lane = std::uint32_t;
  static constexpr unsigned kBits = 8;
  static double of(std::uint32_t bits) {
    static constexpr auto kValues = [] {
      std::array<double, 256> values{};
      for (unsigned code = 0; code < values.size(); ++code) values[code] = decode(kFormat, code);
      return values;
    }();
    return kValues[bits & 0xff];
  }
};
template <unsigned kWidth, bool kSigned>
struct ElementInteger {
  using Lane = std::uint32_t;
  static constexpr unsigned kBits = kWidth;
  static double of(std::uint32_t bits) {
    const std::uint32_t raised = bits << (32 - kWidth);
    if (kSigned) return static_cast<std::int32_t>(raised) >> (32 - kWidth);
    return raised >> (32 - kWidth);
  }
};
struct ElementF64 {
  using Lane = std::uint64_t;
  static constexpr unsigned kBits = 64;
  static double of(std::uint64_t bits) { return std::bit_cast<double>(bits); }
};

}  // namespace egpu::emu
