// Which registers of a function share a slot.
//
// Compilers name a new register for nearly every result, so a kernel may have thousands, of which
// a few dozen hold something at a time. With a slot for each, the frame of a warp would not fit
// into the first caches. So a function is translated twice: the first time each register has its
// own slot, and it is written down what instructions read and write; from that and the flow of
// control follows where each register holds a value that is still needed. Registers for which that
// never overlaps get one slot in the second translation.
//
// What holds for a thread holds for the lanes of a warp: each has its own part of every slot, and
// an operation writes those of its own lanes alone.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/code.h"

namespace egpu::emu {

// Registers are numbered in the order in which translation first meets them.
struct RegisterTouch {
  std::uint32_t number = 0;
  bool write = false;
};

struct InstructionTouches {
  std::uint32_t first_op = 0;
  std::uint32_t end_op = 0;
  bool guarded = false;  // a write may leave the old value
  std::vector<RegisterTouch> registers = {};
};

struct RegisterUses {
  std::vector<unsigned> bits;  // of each register
  std::vector<InstructionTouches> instructions;
  std::vector<std::uint32_t> kept;  // hold a value from the first to the last instruction
};

struct RegisterPlan {
  std::vector<Slot> slots;  // of each register
  std::uint32_t bytes = 0;  // of all slots, from 0 on
};

RegisterPlan plan_registers(const Code& code, const RegisterUses& uses);

}  // namespace egpu::emu
