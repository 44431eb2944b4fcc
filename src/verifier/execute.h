// The effect of one instruction on the abstract machine.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "bpf/instruction.h"
#include "verifier/recorder.h"
#include "verifier/state.h"

namespace egpu::verifier {

// Checks and applies an instruction that is no jump; an Exit must find a number in r0.
Result<void> execute(const bpf::Instruction& instruction, std::size_t index, State& state,
                     Recorder& recorder);

// Where a path goes on.
struct Successor {
  State state;
  std::uint32_t index = 0;  // of the next instruction
};

// The ways that can be taken at a conditional jump: at most two, the one that falls through first.
Result<std::vector<Successor>> execute_branch(const bpf::JumpIf& jump, std::uint32_t index,
                                              const State& state, const Recorder& recorder);

}  // namespace egpu::verifier
