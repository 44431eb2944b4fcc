// The abstract machine at one point of one path.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bpf/instruction.h"
#include "verifier/precision.h"
#include "verifier/stack.h"
#include "verifier/value.h"

namespace egpu::verifier {

inline constexpr std::size_t kRegisters = 11;

// One call of a function that has not returned.
struct Frame {
  std::array<Value, kRegisters> registers;
  Stack stack;
  std::uint32_t function = 0;   // index in Program::functions
  std::uint32_t call_site = 0;  // the instruction that called it; 0 in the main function
};

// A record of a ring buffer that was reserved and not submitted or discarded since, or null.
struct Reservation {
  std::uint32_t id = 0;    // of the values that point to it
  std::uint32_t call = 0;  // the instruction that reserved it

  bool operator==(const Reservation&) const = default;
};

struct State {
  std::vector<Frame> frames;              // the main function's first, the running one last
  std::vector<Reservation> reservations;  // in the order in which they were made

  // At the first instruction of a program.
  static State initial();

  [[nodiscard]] const Value& operator[](bpf::Reg reg) const {
    return frames.back().registers[reg.index];
  }
  [[nodiscard]] Value& operator[](bpf::Reg reg) { return frames.back().registers[reg.index]; }

  // Calls `change` with every value, in registers and on the stacks.
  template <class Change>
  void for_each(Change change) {
    for (Frame& frame : frames) {
      for (Value& value : frame.registers) change(value);
      for (Stack::Slot& slot : frame.stack.slots()) change(slot.value);
    }
  }

  // The same with those that have this id.
  template <class Change>
  void change_all(std::uint32_t id, Change change) {
    for_each([&](Value& value) {
      if (value.id == id) change(value);
    });
  }

  // The record of this reservation is submitted, discarded, or null.
  void end_reservation(std::uint32_t id);

  // Adds the frame of a function that instruction `call_site` calls: r10 alone has a value.
  Frame& enter(std::uint32_t function, std::uint32_t call_site);
  // Drops the running frame; nothing can reach it any more.
  void leave();
  // Forgets the registers that no instruction will read. Bit i of `live`: r<i> may be read.
  void keep_registers(std::uint16_t live);
  // Forgets the numbers of the running function that no check depends on.
  void keep_numbers(const NeededNumbers& needed);
  // Both, and forgets ids that a single value has: what does not matter should not tell states
  // apart.
  void forget(std::uint16_t live, const NeededNumbers& needed);
};

// Whether all that is safe from `general` is safe from `special`, because each value of the latter
// is one that the former admits.
bool covers(const State& general, const State& special);

}  // namespace egpu::verifier
