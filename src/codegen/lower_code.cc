#include "codegen/lower_code.h"

#include "bpf/jump_target.h"
#include "codegen/lower_instruction.h"

namespace egpu::codegen {
namespace {

using bpf::Instruction;

bool ends_block(const Instruction& instruction) {
  return std::holds_alternative<bpf::Jump>(instruction) ||
         std::holds_alternative<bpf::JumpIf>(instruction) ||
         std::holds_alternative<bpf::Exit>(instruction);
}

// A block for the first instruction, each jump target and each instruction after a jump.
Result<Blocks> make_blocks(const Code& code, llvm::Function& function) {
  const auto& instructions = code.instructions;
  std::vector<bool> starts(instructions.size() + 1);
  starts[code.first] = true;
  for (std::size_t i = code.first; i < code.end; ++i) {
    if (ends_block(instructions[i])) starts[i + 1] = true;
    if (const auto target = bpf::jump_target(instructions[i])) {
      if (*target < code.first || *target >= code.end)
        return internal_error("a jump out of its function reached the code generator");
      starts[*target] = true;
    }
  }

  Blocks blocks(instructions.size());
  for (std::size_t i = code.first; i < code.end; ++i) {
    if (starts[i] && code.facts[i].reachable)
      blocks[i] =
          llvm::BasicBlock::Create(function.getContext(), "i" + std::to_string(i), &function);
  }
  return blocks;
}

}  // namespace

// Instructions in order; where one runs into the start of a block, a branch joins them.
Result<void> lower_code(const Code& code, const Platform& platform, const Frame& frame,
                        llvm::Function& function) {
  EGPU_ASSIGN(const Blocks blocks, make_blocks(code, function));
  InstructionLowering lowering(platform, frame, blocks);
  llvm::IRBuilder<>& builder = frame.builder;
  for (std::size_t i = code.first; i < code.end; ++i) {
    if (!code.facts[i].reachable) continue;
    if (blocks[i] != nullptr) {
      if (builder.GetInsertBlock()->getTerminator() == nullptr) builder.CreateBr(blocks[i]);
      builder.SetInsertPoint(blocks[i]);
    }
    if (auto lowered = lowering.lower(i, code.instructions[i], code.facts[i]); !lowered)
      return std::move(lowered).error().at(code.place(i));
  }
  return {};
}

}  // namespace egpu::codegen
