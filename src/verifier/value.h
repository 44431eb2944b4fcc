// What a register or a spilled stack slot holds.
#pragma once

#include <cstdint>

#include "verifier/scalar.h"

namespace egpu::verifier {

enum class ValueKind : std::uint8_t {
  kUninitialised,
  kScalar,
  kContext,         // struct egpu_ctx
  kStack,           // r10 of a frame
  kMap,             // the map itself, an argument of helpers
  kMapValue,        // a value in the map, not null
  kMapValueOrNull,  // what a look-up gives
  kMapKey,          // what a callback gets: a key, which is only read
  kRecord,          // a record that was reserved in a ring buffer, not null
  kRecordOrNull,    // what a reservation gives
  kEndedRecord,     // what a record was before it was submitted or discarded: of no use
  kReadOnly,        // a section of Object::read_only
  kFunction,        // a function of the program, an argument of helpers that call back
};

struct Value {
  ValueKind kind = ValueKind::kUninitialised;
  // kMap*, k*Record*: index in Object::maps. kReadOnly: index in Object::read_only. kStack: the
  // frame, 0 is the main function's. kFunction: its first instruction.
  std::uint32_t target = 0;
  // Scalars with one id hold the same number, kMapValueOrNull with one id come from the same
  // look-up: what a branch tells of one holds for all. 0: alone. Of a record, or null, it is the
  // reservation's.
  std::uint32_t id = 0;
  // The number is that of the scalars with this id, shifted left by 32; 0: not known. Shifting back
  // gives the same number again, which is how code without 32-bit instructions extends numbers.
  std::uint32_t low_half = 0;
  std::uint32_t bytes = 0;  // of a record, or null
  Scalar number;  // kScalar: the number. Pointers: the distance in bytes from what they point into

  bool operator==(const Value&) const = default;

  static Value scalar(const Scalar& number) { return {ValueKind::kScalar, 0, 0, 0, 0, number}; }
  static Value pointer(ValueKind kind, std::uint32_t target = 0) {
    return {kind, target, 0, 0, 0, Scalar::constant(0)};
  }
  static Value record_or_null(std::uint32_t map, std::uint32_t id, std::uint32_t bytes) {
    return {ValueKind::kRecordOrNull, map, id, 0, bytes, Scalar::constant(0)};
  }

  [[nodiscard]] bool is_scalar() const { return kind == ValueKind::kScalar; }
  [[nodiscard]] bool is_pointer() const {
    return kind != ValueKind::kScalar && kind != ValueKind::kUninitialised;
  }
  [[nodiscard]] bool is_record() const {
    return kind == ValueKind::kRecord || kind == ValueKind::kRecordOrNull;
  }
  [[nodiscard]] bool may_be_null() const {
    return kind == ValueKind::kMapValueOrNull || kind == ValueKind::kRecordOrNull;
  }
};

}  // namespace egpu::verifier
