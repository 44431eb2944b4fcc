// Where variables and parameters lie.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/ast.h"

namespace egpu::emu {

struct Extent {
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 1;  // a power of two, 4096 at most
};

inline std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Nothing where the size is open or not known, more than a terabyte, or the alignment is none.
// Without .align a variable is aligned to its element or vector.
std::optional<Extent> extent_of(const ptx::Declaration& declaration,
                                const ptx::Declarator& declarator);
// Of a variable whose size may be open ("[]").
std::optional<std::uint64_t> alignment_of(const ptx::Declaration& declaration);

}  // namespace egpu::emu
