// Registers and constants as instructions read them.
#pragma once

#include <string>

#include "base/result.h"
#include "bpf/instruction.h"
#include "verifier/recorder.h"
#include "verifier/state.h"

namespace egpu::verifier {

// Any value but an uninitialised one.
Result<Value> read(const bpf::Operand& operand, std::size_t index, const State& state,
                   const Recorder& recorder);
// A number that goes where other threads or the host may see it.
Result<Value> read_public(const bpf::Operand& operand, std::size_t index, const State& state,
                          const Recorder& recorder);

// "r2", or "the constant": the subject of a message about an operand.
std::string subject(const bpf::Operand& operand);

}  // namespace egpu::verifier
