// The effect of one instruction on the abstract machine.
#pragma once

#include <optional>

#include "base/result.h"
#include "bpf/instruction.h"
#include "verifier/recorder.h"
#include "verifier/state.h"

namespace egpu::verifier {

// Checks and applies an instruction that is no jump; an Exit must find a number in r0.
Result<void> execute(const bpf::Instruction& instruction, std::size_t index, State& state,
                     Recorder& recorder);

// The states after a conditional jump: nothing where that way cannot be taken.
struct Branches {
  std::optional<State> taken;
  std::optional<State> fallen_through;
};
Result<Branches> execute_branch(const bpf::JumpIf& jump, std::size_t index, const State& state,
                                const Recorder& recorder);

}  // namespace egpu::verifier
