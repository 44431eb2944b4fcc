// Tristate numbers: what is known of each bit of a 64-bit value, the domain of the kernel verifier.
// Bit i is unknown where mask has it, else it is that of value. Method: "Sound, Precise, and Fast
// Abstract Interpretation with Tristate Numbers", CGO 2022.
#pragma once

#include <cstdint>
#include <optional>

namespace egpu::verifier {

struct Tnum {
  std::uint64_t value = 0;  // value & mask == 0
  std::uint64_t mask = ~std::uint64_t{0};

  bool operator==(const Tnum&) const = default;

  static constexpr Tnum constant(std::uint64_t value) { return {value, 0}; }
  // Every number from `low` to `high` and perhaps more: their common leading bits are known.
  static Tnum range(std::uint64_t low, std::uint64_t high);

  [[nodiscard]] bool is_constant() const { return mask == 0; }
  [[nodiscard]] std::uint64_t min() const { return value; }
  [[nodiscard]] std::uint64_t max() const { return value | mask; }
  [[nodiscard]] bool contains(std::uint64_t number) const { return (number & ~mask) == value; }
  // Whether every number of `other` is one of this.
  [[nodiscard]] bool contains(const Tnum& other) const {
    return (other.mask & ~mask) == 0 && contains(other.value);
  }
  [[nodiscard]] bool is_aligned(std::uint64_t size) const { return (max() & (size - 1)) == 0; }
  [[nodiscard]] Tnum low(unsigned bits) const;  // the low `bits`, 1 to 64; the others are zero
};

// Every number of either and perhaps more.
Tnum join(Tnum a, Tnum b);
// Every number of either, where `b` is a later round of the loop that gave `a`: a bit that changed
// takes all above it along, so that few rounds suffice.
Tnum widen(Tnum a, Tnum b);

// The numbers that are in both, or nothing where there are none.
std::optional<Tnum> intersect(Tnum a, Tnum b);

Tnum operator+(Tnum a, Tnum b);
Tnum operator-(Tnum a, Tnum b);
Tnum operator*(Tnum a, Tnum b);
Tnum operator&(Tnum a, Tnum b);
Tnum operator|(Tnum a, Tnum b);
Tnum operator^(Tnum a, Tnum b);
Tnum operator<<(Tnum a, unsigned shift);  // shifts: 0 to 63
Tnum operator>>(Tnum a, unsigned shift);
Tnum arithmetic_shift_right(Tnum a, unsigned shift);

}  // namespace egpu::verifier
