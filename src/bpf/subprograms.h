// The functions of one stretch of code, and what must hold of them.
//
// Calls, and loads of a function's address for helpers that call back, tell where functions begin:
// the main one at the first instruction, another at each target; each goes on to where the next
// begins.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "bpf/decode.h"
#include "bpf/instruction.h"
#include "bpf/subprogram.h"

namespace egpu::bpf {

// Names an instruction in an error.
using InstructionPlace = std::function<std::string(std::size_t instruction)>;

// The functions in order of their code. Refuses jumps from one into another, functions that run
// past their end, recursion, and more than kMaxCallDepth frames; a function whose address is loaded
// counts as called.
Result<std::vector<Subprogram>> find_subprograms(std::span<const Instruction> instructions,
                                                 const InstructionPlace& place);

// The same for a raw program.
Result<std::vector<Subprogram>> find_subprograms(const DecodedProgram& program,
                                                 const SlotPlace& place);

// The first instruction of the function that `instruction` calls or whose address it loads.
std::optional<std::uint32_t> function_target(const Instruction& instruction);

}  // namespace egpu::bpf
