// One eBPF instruction to LLVM IR, the same for every platform.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "base/result.h"
#include "bpf/instruction.h"
#include "codegen/platform.h"
#include "verifier/check.h"

namespace egpu::codegen {

// Where a jump can go: per instruction its block, null for instructions that start none. What the
// checker found unreachable has none either.
using Blocks = std::vector<llvm::BasicBlock*>;

// A visitor for bpf::Instruction that emits at the builder's place. Jumps and exits end the block.
class InstructionLowering {
 public:
  InstructionLowering(const Platform& platform, const Frame& frame, const Blocks& blocks)
      : platform_(platform),
        frame_(frame),
        builder_(frame.builder),
        registers_(frame.registers),
        blocks_(blocks) {}

  Result<void> lower(std::size_t index, const bpf::Instruction& instruction,
                     const verifier::InstructionFacts& facts);

  // For std::visit alone.
  Result<void> operator()(const bpf::Alu& alu);
  Result<void> operator()(const bpf::Mov& mov);
  Result<void> operator()(const bpf::Neg& neg);
  Result<void> operator()(const bpf::ByteSwap& swap);
  Result<void> operator()(const bpf::LoadImm64& load);
  Result<void> operator()(const bpf::Load& load);
  Result<void> operator()(const bpf::Store& store);
  Result<void> operator()(const bpf::Atomic& atomic);
  Result<void> operator()(const bpf::Jump& jump);
  Result<void> operator()(const bpf::JumpIf& jump);
  Result<void> operator()(const bpf::CallHelper& call);
  Result<void> operator()(const bpf::CallSubprogram& call);
  Result<void> operator()(const bpf::CallExtern& call);
  Result<void> operator()(const bpf::Exit& exit);

 private:
  Result<llvm::Value*> load_value(const bpf::Load& load);
  llvm::BasicBlock* block_at(std::size_t index) const;

  const Platform& platform_;
  const Frame& frame_;
  llvm::IRBuilder<>& builder_;
  const Registers& registers_;
  const Blocks& blocks_;

  std::size_t index_ = 0;  // of the instruction being lowered
  const verifier::InstructionFacts* facts_ = nullptr;
};

}  // namespace egpu::codegen
