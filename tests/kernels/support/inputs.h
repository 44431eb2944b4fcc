// Inputs: the same everywhere, with all values that are special to a type.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace kernels {

// SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x632be59bd9b4e019) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }

 private:
  std::uint64_t state_;
};

// The value with these bits.
template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// How a type of floating-point numbers is laid out.
template <class T>
struct Format {
  static constexpr bool is_float = false;
};
template <unsigned Exponent, unsigned Mantissa>
struct FloatFormat {
  static constexpr bool is_float = true;
  static constexpr unsigned kExponent = Exponent;
  static constexpr unsigned kMantissa = Mantissa;
};
template <>
struct Format<float> : FloatFormat<8, 23> {};
template <>
struct Format<double> : FloatFormat<11, 52> {};
template <>
struct Format<__half> : FloatFormat<5, 10> {};
template <>
struct Format<__nv_bfloat16> : FloatFormat<8, 7> {};

// Zeros, ends of ranges, subnormals, infinities, NaNs, numbers at and between integers.
template <class T>
std::vector<T> special_values() {
  std::vector<T> values;
  if constexpr (Format<T>::is_float) {
    constexpr unsigned kMantissa = Format<T>::kMantissa;
    constexpr std::uint64_t kOne = ((std::uint64_t{1} << (Format<T>::kExponent - 1)) - 1)
                                   << kMantissa;
    constexpr std::uint64_t kInfinity = ((std::uint64_t{1} << Format<T>::kExponent) - 1)
                                        << kMantissa;
    constexpr std::uint64_t kUnit = std::uint64_t{1} << kMantissa;
    const std::uint64_t magnitudes[] = {
        0,
        1,
        kUnit / 2 + 1,
        kUnit - 1,
        kUnit,
        kUnit + 1,
        kOne - kUnit,
        kOne - 1,
        kOne,
        kOne + 1,
        kOne + kUnit / 2,
        kOne + kUnit,
        kOne + kUnit + kUnit / 4,
        kOne + kUnit + kUnit / 2,
        kOne + 5 * kUnit + 13,
        kInfinity - kUnit,
        kInfinity - 1,
        kInfinity,
        kInfinity + kUnit / 2,
        kInfinity + kUnit / 2 + 3,
    };
    const std::uint64_t sign = std::uint64_t{1} << (sizeof(T) * 8 - 1);
    for (const std::uint64_t magnitude : magnitudes) {
      values.push_back(from_bits<T>(magnitude));
      values.push_back(from_bits<T>(magnitude | sign));
    }
  } else {
    const unsigned bits = sizeof(T) * 8;
    const std::uint64_t high = std::uint64_t{1} << (bits - 1);
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{7}, ~std::uint64_t{0},
          ~std::uint64_t{1}, high, high + 1, high - 1, high - 2, high >> (bits / 2), high >> 1,
          std::uint64_t{0x5555555555555555}}) {
      values.push_back(static_cast<T>(value));
    }
  }
  return values;
}

inline constexpr std::size_t kOperands = 4096;

// Inputs for operand `position` of an operation: all pairs of special values meet in the first two,
// many triples in the first three; random values of all magnitudes follow.
template <class T>
std::vector<T> operands(unsigned position, std::size_t size = kOperands) {
  const std::vector<T> special = special_values<T>();
  const std::size_t pairs = special.size() * special.size();
  Random random(position + 1);
  std::vector<T> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t bits = random.next();
    const std::size_t first = i % special.size();
    const std::size_t second = i / special.size() % special.size();
    if (i < pairs) {
      const std::size_t third = (first * 7 + second * 11) % special.size();
      values[i] = special[position == 0 ? first : position == 1 ? second : third];
    } else if constexpr (Format<T>::is_float) {
      // Half of them between 1/16 and 16, so that sums and products are not all swallowed.
      const std::uint64_t bias = (std::uint64_t{1} << (Format<T>::kExponent - 1)) - 1;
      const std::uint64_t sign = (bits >> 62 & 1) << (sizeof(T) * 8 - 1);
      const std::uint64_t mantissa = bits & ((std::uint64_t{1} << Format<T>::kMantissa) - 1);
      const std::uint64_t exponent = bias - 4 + (bits >> 53 & 7);
      values[i] =
          from_bits<T>((i & 1) != 0 ? bits : sign | exponent << Format<T>::kMantissa | mantissa);
    } else {
      values[i] = static_cast<T>(static_cast<T>(bits) >> (random.next() % (sizeof(T) * 8)));
    }
  }
  return values;
}

// Evenly spaced from `first` to `last`, both included.
inline std::vector<float> steps(double first, double last, std::size_t size = 97) {
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    values[i] = static_cast<float>(first + (last - first) * static_cast<double>(i) /
                                               static_cast<double>(size - 1));
  }
  return values;
}

// Whole numbers below `limit`; small limits make many equal ones.
template <class T>
std::vector<T> numbers(std::size_t size, std::uint64_t limit, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<T> values(size);
  for (T& value : values) value = static_cast<T>(random.below(limit));
  return values;
}

// All bits random: of integers, and of floats no NaN among them.
template <class T>
std::vector<T> keys(std::size_t size, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<T> values(size);
  for (T& value : values) {
    do {
      value = from_bits<T>(random.next());
    } while (value != value);
  }
  return values;
}

}  // namespace kernels

using kernels::keys;
using kernels::numbers;
using kernels::operands;
using kernels::Random;
using kernels::steps;
