// Literals of PTX as bits of a type.
#pragma once

#include <cstdint>
#include <optional>

#include "emu/value_type.h"
#include "ptx/ast.h"

namespace egpu::emu {

// The number truncated to the type; nothing for what is no integer of 64 bits.
std::optional<std::uint64_t> bits_of(const ptx::Integer& integer, ValueType type);
// 0f3F800000, 0d3FF0000000000000 and decimals, rounded to the type: f32, f64, or bits of the
// literal's own width.
std::optional<std::uint64_t> bits_of(const ptx::Float& number, ValueType type);

}  // namespace egpu::emu
