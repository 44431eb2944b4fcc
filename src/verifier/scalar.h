// What is known of a 64-bit number: its bits, and its range read as unsigned and as signed. Each
// operation holds for every concrete number that its operands admit; scalar_test.cc checks that at
// random.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "bpf/instruction.h"
#include "verifier/tnum.h"

namespace egpu::verifier {

struct Scalar {
  Tnum bits;
  std::uint64_t umin = 0;
  std::uint64_t umax = std::numeric_limits<std::uint64_t>::max();
  std::int64_t smin = std::numeric_limits<std::int64_t>::min();
  std::int64_t smax = std::numeric_limits<std::int64_t>::max();

  bool operator==(const Scalar&) const = default;

  static Scalar unknown() { return {}; }
  static Scalar constant(std::uint64_t value);
  static Scalar unsigned_range(std::uint64_t low, std::uint64_t high);
  static Scalar signed_range(std::int64_t low, std::int64_t high);
  static Scalar with_bits(Tnum bits);

  [[nodiscard]] std::optional<std::uint64_t> as_constant() const;
  [[nodiscard]] bool contains(std::uint64_t number) const;
  [[nodiscard]] bool contains(const Scalar& other) const;
  [[nodiscard]] bool fits_unsigned(unsigned bits) const;  // zero above its low `bits`
  [[nodiscard]] bool fits_signed(unsigned bits) const;    // equal to its low `bits` sign-extended

  [[nodiscard]] Scalar zero_extended(unsigned bits) const;  // low `bits` (1 to 64), zeros above
  [[nodiscard]] Scalar sign_extended(unsigned bits) const;
};

// Every number of either and perhaps more.
Scalar join(const Scalar& a, const Scalar& b);
// The same, where `b` is a later round of the loop that gave `a`: an end that moved goes as far as
// it can, so that few rounds suffice.
Scalar widen(const Scalar& a, const Scalar& b);

// The numbers that are in both, or nothing where there are none: that code is not reached.
std::optional<Scalar> intersect(const Scalar& a, const Scalar& b);

// dst op src as the ISA defines it; division by zero gives 0, modulo zero leaves dst. 32 bits:
// upper half zero.
Scalar apply(bpf::AluOp op, bpf::Width width, const Scalar& dst, const Scalar& src);

// "7", "0 to 31", "-5 to 9", "anything": for messages.
std::string to_string(const Scalar& scalar);

}  // namespace egpu::verifier
