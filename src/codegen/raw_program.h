// Raw programs, which nobody has checked: each of their functions becomes one LLVM function, the
// same for host and GPU.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <string>

#include "base/result.h"
#include "bpf/decode.h"
#include "codegen/calls.h"

namespace egpu::codegen {

// Where a function's 512 bytes of stack are.
enum class RawStack : std::uint8_t {
  kOwn,     // a variable of the function's
  kCallers  // in memory: a sixth argument is the address that r10 gets
};

// Adds the program's functions, without code, to `module`: `name` for the main one,
// `name`_INSTRUCTION for the others. Each is a 64-bit number of five others: r0 of r1 to r5.
// Refuses what bpf::find_subprograms() refuses.
Result<FunctionTable> declare_raw(const bpf::DecodedProgram& program, const bpf::SlotPlace& place,
                                  RawStack stack, llvm::Module& module, const std::string& name);

// Gives them their code. Registers that are no arguments start at zero.
Result<void> lower_raw(const bpf::DecodedProgram& program, const bpf::SlotPlace& place,
                       RawStack stack, const Platform& platform, const FunctionTable& functions);

}  // namespace egpu::codegen
