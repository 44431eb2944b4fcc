// From types and flags known when code is translated to template arguments of handlers.
#pragma once

#include <cstdint>
#include <utility>

#include "emu/op.h"
#include "emu/value_type.h"

namespace egpu::emu {

inline constexpr ValueType kPred{TypeKind::kPredicate, 1};
inline constexpr ValueType kB16{TypeKind::kBits, 16};
inline constexpr ValueType kB32{TypeKind::kBits, 32};
inline constexpr ValueType kB64{TypeKind::kBits, 64};
inline constexpr ValueType kB128{TypeKind::kBits, 128};
inline constexpr ValueType kU16{TypeKind::kUnsigned, 16};
inline constexpr ValueType kU32{TypeKind::kUnsigned, 32};
inline constexpr ValueType kU64{TypeKind::kUnsigned, 64};
inline constexpr ValueType kS16{TypeKind::kSigned, 16};
inline constexpr ValueType kS32{TypeKind::kSigned, 32};
inline constexpr ValueType kS64{TypeKind::kSigned, 64};
inline constexpr ValueType kU16x2{TypeKind::kUnsigned, 16, 2};
inline constexpr ValueType kS16x2{TypeKind::kSigned, 16, 2};
inline constexpr ValueType kF16{TypeKind::kFloat, 16};
inline constexpr ValueType kF32{TypeKind::kFloat, 32};
inline constexpr ValueType kF64{TypeKind::kFloat, 64};
inline constexpr ValueType kF16x2{TypeKind::kFloat, 16, 2};
inline constexpr ValueType kF32x2{TypeKind::kFloat, 32, 2};
inline constexpr ValueType kBf16{TypeKind::kBrainFloat, 16};
inline constexpr ValueType kBf16x2{TypeKind::kBrainFloat, 16, 2};

constexpr bool is_float(ValueType type) {
  return type.kind == TypeKind::kFloat || type.kind == TypeKind::kBrainFloat;
}
constexpr bool is_integer(ValueType type) {
  return type.kind == TypeKind::kUnsigned || type.kind == TypeKind::kSigned;
}
constexpr bool is_small_float(ValueType type) { return is_float(type) && type.bits == 16; }

// .b32 as .u32.
constexpr ValueType as_unsigned(ValueType type) {
  if (type.kind == TypeKind::kBits) type.kind = TypeKind::kUnsigned;
  return type;
}

// The PTX type of a lane type.
template <class T>
struct PtxType;
template <>
struct PtxType<std::uint8_t> {
  static constexpr ValueType kType{TypeKind::kUnsigned, 8};
};
template <>
struct PtxType<std::int8_t> {
  static constexpr ValueType kType{TypeKind::kSigned, 8};
};
template <>
struct PtxType<std::uint16_t> {
  static constexpr ValueType kType = kU16;
};
template <>
struct PtxType<std::int16_t> {
  static constexpr ValueType kType = kS16;
};
template <>
struct PtxType<std::uint32_t> {
  static constexpr ValueType kType = kU32;
};
template <>
struct PtxType<std::int32_t> {
  static constexpr ValueType kType = kS32;
};
template <>
struct PtxType<std::uint64_t> {
  static constexpr ValueType kType = kU64;
};
template <>
struct PtxType<std::int64_t> {
  static constexpr ValueType kType = kS64;
};
template <>
struct PtxType<float> {
  static constexpr ValueType kType = kF32;
};
template <>
struct PtxType<double> {
  static constexpr ValueType kType = kF64;
};

// make.operator()<T>() for the T of `Types` that `type` names; null where it is none of them.
template <class... Types, class F>
Handler for_type(ValueType type, F&& make) {
  Handler found = nullptr;
  ((type == PtxType<Types>::kType ? void(found = make.template operator()<Types>()) : void()), ...);
  return found;
}
template <class F>
Handler for_integer(ValueType type, F&& make) {
  return for_type<std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, std::uint64_t,
                  std::int64_t>(type, make);
}

// make.operator()<flags...>().
template <bool... kKnown, class F>
Handler for_flags(F&& make) {
  return make.template operator()<kKnown...>();
}
template <bool... kKnown, class F, class... Flags>
Handler for_flags(F&& make, bool first, Flags... rest) {
  return first ? for_flags<kKnown..., true>(make, rest...)
               : for_flags<kKnown..., false>(make, rest...);
}

}  // namespace egpu::emu
