// Which numbers a check depends on. Others may be forgotten where paths meet: a counter that is
// only stored should not tell apart the ways on which it was counted.
#pragma once

#include <cstdint>
#include <vector>

#include "bpf/object.h"
#include "verifier/backward_flow.h"

namespace egpu::verifier {

// How much is remembered of the numbers in registers.
enum class Precision : std::uint8_t {
  kAll,
  kNeeded,  // what addresses, sizes, conditions and calls may depend on
  kLoops,   // the same, but of conditions only those that compare with a constant, as loops do; of
            // memory only what is read through r10; and nothing that functions return, but for
            // callbacks
};

// Where a check may depend on the number that is there.
struct NeededNumbers {
  RegisterSet registers = 0;
  std::uint64_t slots = 0;  // of the running function's stack; bit i: the i-th 8 bytes below r10

  bool operator==(const NeededNumbers&) const = default;
  NeededNumbers& operator|=(const NeededNumbers& other) {
    registers |= other.registers;
    slots |= other.slots;
    return *this;
  }
};

// Per instruction. A guess that is wrong costs an acceptance, never safety: a forgotten number may
// be any.
std::vector<NeededNumbers> needed_numbers(const bpf::Program& program, Precision precision);

}  // namespace egpu::verifier
