// What the machine tells a thread: %tid.x, %laneid, %clock64.
#pragma once

#include <cstdint>
#include <string_view>

#include "emu/op.h"

namespace egpu::emu {

struct SpecialRegister {
  std::string_view name;  // "%tid.x"
  unsigned bits = 32;     // 1: a predicate
  bool changes = false;   // while a thread runs
  std::uint64_t (*value)(const Warp& warp, unsigned lane) = nullptr;
};

// Null where the executor does not know it.
const SpecialRegister* find_special_register(std::string_view name);

// Writes the value, truncated, to a register of `bits`.
void read_special_register(const SpecialRegister& special, Warp& warp, Slot slot, unsigned bits,
                           Mask lanes);

}  // namespace egpu::emu
