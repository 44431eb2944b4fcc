// Probes on the GPU. The checker's facts say which memory an instruction touches; the address space
// follows from them, so that PTX gets ld.global and red.global, and from the context nothing is
// read at all.
#pragma once

#include <llvm/IR/Module.h>

#include "bpf/object.h"
#include "codegen/context_fields.h"
#include "codegen/platform.h"
#include "codegen/probe_table.h"

namespace egpu::codegen {

// What all programs of a generated module share.
struct ModuleParts {
  const bpf::Object& object;
  llvm::Module& module;  // holds the device runtime
  const ProbeTable& table;
};

class GpuPlatform : public Platform {
 public:
  GpuPlatform(const ModuleParts& parts, const ProbeInputs& inputs)
      : parts_(parts), inputs_(inputs) {}

  Result<llvm::Value*> address(const Frame& frame, bpf::Reg base, std::int16_t offset,
                               const verifier::InstructionFacts& facts) const override;
  [[nodiscard]] Access access(bpf::MemSize size) const override;
  Result<llvm::Value*> context_load(const Frame& frame, const bpf::Load& load,
                                    const verifier::InstructionFacts& facts) const override;
  Result<llvm::Value*> atomic(const Frame& frame, const bpf::Atomic& atomic,
                              const verifier::InstructionFacts& facts) const override;
  Result<void> call_helper(const Frame& frame, const bpf::CallHelper& call,
                           const verifier::InstructionFacts& facts) const override;
  Result<void> call_subprogram(const Frame& frame, const bpf::CallSubprogram& call) const override;
  Result<void> leave(const Frame& frame) const override;

 private:
  Result<void> map_lookup(const Frame& frame, std::uint32_t map) const;

  const ModuleParts& parts_;
  const ProbeInputs& inputs_;
};

}  // namespace egpu::codegen
