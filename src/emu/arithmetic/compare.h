// Comparisons of setp and set.
#pragma once

#include <cstdint>
#include <type_traits>

#include "emu/arithmetic/float_bits.h"

namespace egpu::emu {

enum class Comparison : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  // Floats only: also true where a source is NaN.
  kEqualOrUnordered,
  kNotEqualOrUnordered,
  kLessOrUnordered,
  kLessOrEqualOrUnordered,
  kGreaterOrUnordered,
  kGreaterOrEqualOrUnordered,
  kBothNumbers,
  kAnyNan,
};

template <Comparison kComparison, class T>
constexpr bool compare(T a, T b) {
  // Ordered comparisons are false for NaN, but C++'s != is true.
  const bool unordered = [&] {
    if constexpr (std::is_floating_point_v<T>)
      return is_nan(a) || is_nan(b);
    else
      return false;
  }();
  switch (kComparison) {
    case Comparison::kEqual:
      return a == b;
    case Comparison::kNotEqual:
      return a != b && !unordered;
    case Comparison::kLess:
      return a < b;
    case Comparison::kLessOrEqual:
      return a <= b;
    case Comparison::kGreater:
      return a > b;
    case Comparison::kGreaterOrEqual:
      return a >= b;
    case Comparison::kEqualOrUnordered:
      return a == b || unordered;
    case Comparison::kNotEqualOrUnordered:
      return a != b;
    case Comparison::kLessOrUnordered:
      return !(a >= b);
    case Comparison::kLessOrEqualOrUnordered:
      return !(a > b);
    case Comparison::kGreaterOrUnordered:
      return !(a <= b);
    case Comparison::kGreaterOrEqualOrUnordered:
      return !(a < b);
    case Comparison::kBothNumbers:
      return !unordered;
    case Comparison::kAnyNan:
      return unordered;
  }
}

}  // namespace egpu::emu
