// For tests: runs one instruction, or a few, on vectors of sources.
//
//   evaluate<std::int32_t>("sub.s32 %d, %a, %b", std::vector{5, 6}, std::vector{1, 2})
//
// gives {4, 4}. Sources are %a, %b, %c, %e in order, the result is %d; predicates are bool. Also
// there: %t0..3 (32 bits), %w0..3 (64), %h0..3 (16), %x0..3 (128), %p0..3. The code runs twice, by
// whole warps and by the odd lanes alone, which must agree and leave the even lanes untouched.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "emu/test_kernel.h"

namespace egpu::emu {

// The values of a source or result, one behind the other. Predicates take four bytes, 0 or 1.
struct LaneValues {
  std::string_view type;  // of its register: ".f32"
  unsigned bytes = 4;     // of a value
  std::vector<std::byte> memory = {};
};

// Sources are repeated to as many values as the first has. `result`: its type and size.
std::vector<std::byte> evaluate(std::string_view code, const LaneValues& result,
                                const std::vector<LaneValues>& sources);

template <class T>
constexpr std::string_view register_type() {
  if (std::is_same_v<T, bool>) return ".pred";
  if (std::is_same_v<T, float>) return ".f32";
  if (std::is_same_v<T, double>) return ".f64";
  return sizeof(T) == 2 ? ".b16" : sizeof(T) == 4 ? ".b32" : ".b64";
}
template <class T>
using StoredAs = std::conditional_t<std::is_same_v<T, bool>, std::uint32_t, T>;

template <class T>
LaneValues values_of(const std::vector<T>& values) {
  LaneValues result{register_type<T>(), sizeof(StoredAs<T>)};
  for (const T value : values) {
    const StoredAs<T> stored = value;
    const auto* const first = reinterpret_cast<const std::byte*>(&stored);
    result.memory.insert(result.memory.end(), first, first + sizeof stored);
  }
  return result;
}

template <class R, class... S>
std::vector<R> evaluate(std::string_view code, const std::vector<S>&... sources) {
  const auto bytes =
      evaluate(code, LaneValues{register_type<R>(), sizeof(StoredAs<R>)}, {values_of(sources)...});
  std::vector<StoredAs<R>> results(bytes.size() / sizeof(StoredAs<R>));
  std::memcpy(results.data(), bytes.data(), bytes.size());
  return {results.begin(), results.end()};
}

// The bits of floats, which tell NaNs and zeros apart.
inline std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> result;
  result.reserve(values.size());
  for (const float value : values) result.push_back(std::bit_cast<std::uint32_t>(value));
  return result;
}
inline std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> result;
  result.reserve(values.size());
  for (const double value : values) result.push_back(std::bit_cast<std::uint64_t>(value));
  return result;
}

}  // namespace egpu::emu
