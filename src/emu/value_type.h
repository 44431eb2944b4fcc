// Types of PTX operands: .u32, .f16x2, .pred.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace egpu::emu {

enum class TypeKind : std::uint8_t { kPredicate, kBits, kUnsigned, kSigned, kFloat, kBrainFloat };

struct ValueType {
  TypeKind kind = TypeKind::kBits;
  std::uint8_t bits = 0;      // of one element; 1 for a predicate
  std::uint8_t elements = 1;  // 2: .f16x2, .bf16x2, .u16x2, .s16x2

  unsigned total_bits() const { return unsigned{bits} * elements; }
  bool operator==(const ValueType&) const = default;
};

// "u32" or ".u32"; nothing for text that is no type, or one the executor does not know.
std::optional<ValueType> parse_type(std::string_view text);

}  // namespace egpu::emu
