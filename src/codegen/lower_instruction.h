// One eBPF instruction to LLVM IR.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "bpf/object.h"
#include "codegen/context_fields.h"
#include "codegen/probe_table.h"
#include "codegen/registers.h"
#include "verifier/check.h"

namespace egpu::codegen {

// A program may compare or copy the context's and a map's address, never look behind it: any number
// but null will do.
inline constexpr std::uint64_t kOpaqueAddress = 0x1000;

// What all programs of a generated module share.
struct ModuleParts {
  const bpf::Object& object;
  llvm::Module& module;  // holds the device runtime
  const ProbeTable& table;
};

// Where a jump can go: per instruction its block, null for instructions that start none. What the
// checker found unreachable has none either.
using Blocks = std::vector<llvm::BasicBlock*>;

// A visitor for bpf::Instruction that emits at the builder's place. Jumps and exits end the block.
class InstructionLowering {
 public:
  InstructionLowering(const ModuleParts& parts, llvm::IRBuilder<>& builder,
                      const Registers& registers, const ProbeInputs& inputs, const Blocks& blocks)
      : parts_(parts), builder_(builder), registers_(registers), inputs_(inputs), blocks_(blocks) {}

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
  Result<void> operator()(const bpf::Exit& exit);

 private:
  Result<llvm::Value*> memory_pointer(bpf::Reg base, std::int16_t offset);
  Result<llvm::Value*> load_value(const bpf::Load& load);
  Result<llvm::Value*> call_runtime(const std::string& name,
                                    std::span<llvm::Value* const> arguments);
  Result<void> emit_map_lookup();
  llvm::BasicBlock* block_at(std::size_t index) const;

  const ModuleParts& parts_;
  llvm::IRBuilder<>& builder_;
  const Registers& registers_;
  const ProbeInputs& inputs_;
  const Blocks& blocks_;

  std::size_t index_ = 0;  // of the instruction being lowered
  const verifier::InstructionFacts* facts_ = nullptr;
};

}  // namespace egpu::codegen
