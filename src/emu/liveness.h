// Where registers hold values that are still needed.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/code.h"
#include "emu/register_plan.h"

namespace egpu::emu {

// Ops from the first to the last one at which a register holds such a value, or is written.
struct Interval {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

// For each register. What is too large to find out for is needed everywhere.
std::vector<Interval> intervals_of(const Code& code, const RegisterUses& uses);

}  // namespace egpu::emu
