// A raw program is one stretch of code. Calls tell where its functions begin: the main one at the
// first instruction, a subprogram at each call's target; each goes on to where the next begins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "bpf/decode.h"
#include "bpf/instruction.h"
#include "bpf/subprogram.h"

namespace egpu::bpf {

// The functions in order of their code. Refuses jumps from one into another, functions that run
// past their end, recursion, and more than kMaxCallDepth frames.
Result<std::vector<Subprogram>> find_subprograms(const DecodedProgram& program,
                                                 const SlotPlace& place);

}  // namespace egpu::bpf
