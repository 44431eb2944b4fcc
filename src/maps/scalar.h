// Bits of a value as numbers, at any bit offset (bit-fields), little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"

namespace egpu::maps {

// `bits`: 1 to 64. The field must lie inside `value`.
std::uint64_t load_bits(Bytes value, std::uint64_t bit_offset, std::uint64_t bits);
void store_bits(std::span<std::byte> value, std::uint64_t bit_offset, std::uint64_t bits,
                std::uint64_t number);

// `number`'s low `bits` bits, sign-extended.
std::int64_t sign_extend(std::uint64_t number, std::uint64_t bits);

}  // namespace egpu::maps
