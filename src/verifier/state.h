// The abstract machine at one point of one path.
#pragma once

#include <array>
#include <cstdint>

#include "bpf/instruction.h"
#include "verifier/stack.h"
#include "verifier/value.h"

namespace egpu::verifier {

inline constexpr std::size_t kRegisters = 11;

struct State {
  std::array<Value, kRegisters> registers;
  Stack stack;

  // At the first instruction of a program.
  static State initial();

  [[nodiscard]] const Value& operator[](bpf::Reg reg) const { return registers[reg.index]; }
  [[nodiscard]] Value& operator[](bpf::Reg reg) { return registers[reg.index]; }

  // Calls `change` with every value that has this id, in registers and on the stack.
  template <class Change>
  void change_all(std::uint32_t id, Change change) {
    for (Value& value : registers) {
      if (value.id == id) change(value);
    }
    for (Stack::Slot& slot : stack.slots()) {
      if (slot.value.id == id) change(slot.value);
    }
  }

  // Forgets the registers that no instruction will read (bit i of `live`: r<i> may be read) and ids
  // that a single value has: what does not matter should not tell states apart.
  void forget(std::uint16_t live);
};

// Whether all that is safe from `general` is safe from `special`, because each value of the latter
// is one that the former admits.
bool covers(const State& general, const State& special);

}  // namespace egpu::verifier
