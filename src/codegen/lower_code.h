// The code of one function to the basic blocks of one LLVM function, the same for every platform.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/result.h"
#include "bpf/instruction.h"
#include "codegen/platform.h"
#include "verifier/check.h"

namespace egpu::codegen {

struct Code {
  std::span<const bpf::Instruction> instructions;     // the whole program: targets index it
  std::span<const verifier::InstructionFacts> facts;  // one per instruction
  std::size_t first = 0;                              // the function: [first, end)
  std::size_t end = 0;
  std::function<std::string(std::size_t instruction)> place;  // for messages
};

// Appends blocks to `function`, whose entry block is the builder's place. What the facts call
// unreachable leaves no code.
Result<void> lower_code(const Code& code, const Platform& platform, const Frame& frame,
                        llvm::Function& function);

}  // namespace egpu::codegen
