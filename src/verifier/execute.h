// The effect of one instruction on the abstract machine.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "bpf/instruction.h"
#include "verifier/recorder.h"
#include "verifier/state.h"

namespace egpu::verifier {

// Checks and applies an instruction that is no jump, call or exit.
Result<void> execute(const bpf::Instruction& instruction, std::size_t index, State& state,
                     Recorder& recorder);

// Where a path goes on.
struct Successor {
  State state;
  std::uint32_t index = 0;  // of the next instruction
};

// The ways that can be taken at a conditional jump, at least one. With two of them, `next` is the
// one that falls through.
struct Branch {
  std::uint32_t next = 0;  // with the state that was passed
  std::optional<Successor> other = {};
};

// Changes `state` to that on the first way.
Result<Branch> execute_branch(const bpf::JumpIf& jump, std::uint32_t index, State& state,
                              const Recorder& recorder);

}  // namespace egpu::verifier
