// A translated function.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emu/op.h"
#include "emu/special_registers.h"

namespace egpu::emu {

// A register that holds the same in all lanes and never changes.
struct ConstantSlot {
  Slot slot = kNoSlot;
  unsigned bits = 0;  // 1: a predicate
  std::uint64_t value = 0;
};

// A special register that stays the same as long as a thread runs: read when a frame is made.
struct SpecialSlot {
  Slot slot = kNoSlot;
  unsigned bits = 0;
  const SpecialRegister* special = nullptr;
};

// The address of a .local variable: its offset in the frame's part of each thread's local memory.
struct LocalSlot {
  Slot slot = kNoSlot;  // 64 bits
  std::uint64_t offset = 0;
};

// A parameter or result of a device function, or a .param variable that becomes one in a call:
// `stride` bytes for each lane, one lane behind the other. A register is the same with its width as
// stride; predicates cannot be passed.
struct ParameterSlot {
  std::string_view name;
  Slot slot = kNoSlot;
  std::uint32_t bytes = 0;
  std::uint32_t stride = 0;
};

struct Code;

// What a call hands over, in order. Each pair of a parameter here and in the callee has one size.
struct CallSite {
  const Code* callee = nullptr;  // null: through a pointer
  std::vector<ParameterSlot> parameters;
  std::vector<ParameterSlot> results;
};

struct Code {
  std::string name;
  std::vector<Op> ops;
  std::uint32_t register_bytes = 0;
  std::uint32_t local_bytes = 0;  // of each thread's local memory, for each call
  std::vector<ConstantSlot> constants;
  std::vector<SpecialSlot> specials;
  std::vector<LocalSlot> locals;
  std::vector<ParameterSlot> parameters;  // of a device function
  std::vector<ParameterSlot> results;
  std::vector<std::string_view> places;           // source text that ops come from
  std::vector<std::shared_ptr<const void>> kept;  // what Op::extra points to
};

}  // namespace egpu::emu
