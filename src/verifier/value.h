// What a register or a spilled stack slot holds.
#pragma once

#include <cstdint>

#include "verifier/scalar.h"

namespace egpu::verifier {

enum class ValueKind : std::uint8_t {
  kUninitialised,
  kScalar,
  kContext,         // struct egpu_ctx
  kStack,           // r10
  kMap,             // the map itself, an argument of helpers
  kMapValue,        // a value in the map, not null
  kMapValueOrNull,  // what a look-up gives
};

struct Value {
  ValueKind kind = ValueKind::kUninitialised;
  std::uint32_t map = 0;  // kMap, kMapValue*: index in Object::maps
  // Scalars with one id hold the same number, kMapValueOrNull with one id come from the same
  // look-up: what a branch tells of one holds for all. 0: alone.
  std::uint32_t id = 0;
  Scalar number;  // kScalar: the number. Pointers: the distance in bytes from what they point into

  bool operator==(const Value&) const = default;

  static Value scalar(const Scalar& number) { return {ValueKind::kScalar, 0, 0, number}; }
  static Value pointer(ValueKind kind, std::uint32_t map = 0) {
    return {kind, map, 0, Scalar::constant(0)};
  }

  [[nodiscard]] bool is_scalar() const { return kind == ValueKind::kScalar; }
  [[nodiscard]] bool is_pointer() const {
    return kind != ValueKind::kScalar && kind != ValueKind::kUninitialised;
  }
};

}  // namespace egpu::verifier
