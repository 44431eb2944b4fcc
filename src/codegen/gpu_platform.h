// Probes on the GPU. The checker's facts say which memory an instruction touches; the address space
// follows from them, so that PTX gets ld.global and red.global, and from the context nothing is
// read at all.
#pragma once

#include <llvm/IR/Module.h>

#include "codegen/checked_platform.h"
#include "codegen/context_fields.h"
#include "codegen/probe_table.h"

namespace egpu::codegen {

// What all programs of a generated module share.
struct ModuleParts {
  const bpf::Object& object;
  llvm::Module& module;  // holds the device runtime
  const ProbeTable& table;
  const verifier::MapUses& uses;  // of all programs
};

class GpuPlatform : public CheckedPlatform {
 public:
  GpuPlatform(const ModuleParts& parts, const ProbeInputs& inputs, const FunctionTable& functions);

  Result<llvm::Value*> address(const Frame& frame, bpf::Reg base, std::int16_t offset,
                               const verifier::InstructionFacts& facts) const override;
  Result<llvm::Value*> context_load(const Frame& frame, const bpf::Load& load,
                                    const verifier::InstructionFacts& facts) const override;

 protected:
  llvm::Value* map_address(llvm::IRBuilder<>& builder, std::uint32_t map) const override;
  Result<llvm::Value*> element_address(llvm::IRBuilder<>& builder, const bpf::MapDefinition& map,
                                       llvm::Value* address, llvm::Value* index) const override;
  llvm::Value* shards(llvm::IRBuilder<>& builder) const override;
  Result<llvm::Value*> map_function(llvm::IRBuilder<>& builder, const std::string& name,
                                    llvm::ArrayRef<llvm::Value*> arguments) const override;
  [[nodiscard]] unsigned read_only_space() const override;
  Result<llvm::Value*> map_atomic(const Frame& frame, const bpf::Atomic& atomic,
                                  const verifier::InstructionFacts& facts) const override;
  Result<llvm::Value*> simple_call(const Frame& frame, verifier::HelperId id) const override;

 private:
  Result<llvm::Value*> trace(const Frame& frame) const;

  const ModuleParts& parts_;
  const ProbeInputs& inputs_;
};

}  // namespace egpu::codegen
