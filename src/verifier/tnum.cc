#include "verifier/tnum.h"

#include <bit>

namespace egpu::verifier {
namespace {

constexpr std::uint64_t low_bits(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

}  // namespace

Tnum Tnum::range(std::uint64_t low, std::uint64_t high) {
  const std::uint64_t unknown = low_bits(std::bit_width(low ^ high));
  return {low & ~unknown, unknown};
}

Tnum Tnum::low(unsigned bits) const { return {value & low_bits(bits), mask & low_bits(bits)}; }

Tnum join(Tnum a, Tnum b) {
  const std::uint64_t mask = a.mask | b.mask | (a.value ^ b.value);
  return {a.value & ~mask, mask};
}

Tnum widen(Tnum a, Tnum b) {
  const Tnum both = join(a, b);
  const std::uint64_t changed = both.mask & ~a.mask;
  if (changed == 0) return both;
  const std::uint64_t lowest = changed & (~changed + 1);
  const std::uint64_t mask = both.mask | ~(lowest - 1);
  return {both.value & ~mask, mask};
}

std::optional<Tnum> intersect(Tnum a, Tnum b) {
  if (((a.value ^ b.value) & ~a.mask & ~b.mask) != 0) return std::nullopt;
  const std::uint64_t mask = a.mask & b.mask;
  return Tnum{(a.value | b.value) & ~mask, mask};
}

// Carries reach every bit where the smallest and the largest sum differ.
Tnum operator+(Tnum a, Tnum b) {
  const std::uint64_t smallest = a.value + b.value;
  const std::uint64_t largest = smallest + (a.mask + b.mask);
  const std::uint64_t unknown = (smallest ^ largest) | a.mask | b.mask;
  return {smallest & ~unknown, unknown};
}

// The same with borrows.
Tnum operator-(Tnum a, Tnum b) {
  const std::uint64_t difference = a.value - b.value;
  const std::uint64_t unknown = ((difference + a.mask) ^ (difference - b.mask)) | a.mask | b.mask;
  return {difference & ~unknown, unknown};
}

// Long multiplication; an unknown bit of `a` adds a partial product that may or may not be there.
Tnum operator*(Tnum a, Tnum b) {
  Tnum product = Tnum::constant(a.value * b.value);
  Tnum uncertain = Tnum::constant(0);
  for (; a.value != 0 || a.mask != 0; a = a >> 1, b = b << 1) {
    if ((a.value & 1) != 0) uncertain = uncertain + Tnum{0, b.mask};
    if ((a.mask & 1) != 0) uncertain = uncertain + Tnum{0, b.value | b.mask};
  }
  return product + uncertain;
}

Tnum operator&(Tnum a, Tnum b) {
  const std::uint64_t ones = a.value & b.value;
  return {ones, (a.value | a.mask) & (b.value | b.mask) & ~ones};
}

Tnum operator|(Tnum a, Tnum b) {
  const std::uint64_t ones = a.value | b.value;
  return {ones, (a.mask | b.mask) & ~ones};
}

Tnum operator^(Tnum a, Tnum b) {
  const std::uint64_t unknown = a.mask | b.mask;
  return {(a.value ^ b.value) & ~unknown, unknown};
}

Tnum operator<<(Tnum a, unsigned shift) { return {a.value << shift, a.mask << shift}; }

Tnum operator>>(Tnum a, unsigned shift) { return {a.value >> shift, a.mask >> shift}; }

Tnum arithmetic_shift_right(Tnum a, unsigned shift) {
  const auto shifted = [shift](std::uint64_t bits) {
    return std::bit_cast<std::uint64_t>(std::bit_cast<std::int64_t>(bits) >> shift);
  };
  return {shifted(a.value), shifted(a.mask)};
}

}  // namespace egpu::verifier
