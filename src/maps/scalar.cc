#include "maps/scalar.h"

#include <cstring>

namespace egpu::maps {
namespace {

// Whole numbers are nearly all there is, and a map may hold millions of them.
bool is_whole(std::uint64_t bit_offset, std::uint64_t bits) {
  return bit_offset % 8 == 0 && bits % 8 == 0;
}

}  // namespace

std::uint64_t load_bits(Bytes value, std::uint64_t bit_offset, std::uint64_t bits) {
  std::uint64_t number = 0;
  if (is_whole(bit_offset, bits)) {
    std::memcpy(&number, value.data() + bit_offset / 8, bits / 8);
    return number;
  }
  for (std::uint64_t i = 0; i < bits; ++i) {
    const std::uint64_t bit = bit_offset + i;
    number |= (std::to_integer<std::uint64_t>(value[bit / 8]) >> bit % 8 & 1) << i;
  }
  return number;
}

void store_bits(std::span<std::byte> value, std::uint64_t bit_offset, std::uint64_t bits,
                std::uint64_t number) {
  if (is_whole(bit_offset, bits)) {
    std::memcpy(value.data() + bit_offset / 8, &number, bits / 8);
    return;
  }
  for (std::uint64_t i = 0; i < bits; ++i) {
    const std::uint64_t bit = bit_offset + i;
    const std::byte mask{static_cast<unsigned char>(1u << bit % 8)};
    value[bit / 8] = (number >> i & 1) != 0 ? value[bit / 8] | mask : value[bit / 8] & ~mask;
  }
}

std::int64_t sign_extend(std::uint64_t number, std::uint64_t bits) {
  const std::uint64_t unused = 64 - bits;
  return static_cast<std::int64_t>(number << unused) >> unused;
}

}  // namespace egpu::maps
