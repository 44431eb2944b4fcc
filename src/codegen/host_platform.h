// Raw programs on the host. Nobody has checked them: memory is whatever the registers point to.
#pragma once

#include "codegen/platform.h"
#include "codegen/raw_program.h"

namespace egpu::codegen {

class HostPlatform : public Platform {
 public:
  explicit HostPlatform(const FunctionTable& functions) : functions_(functions) {}

  Result<llvm::Value*> address(const Frame& frame, bpf::Reg base, std::int16_t offset,
                               const verifier::InstructionFacts& facts) const override;
  [[nodiscard]] Access access(bpf::MemSize size,
                              const verifier::InstructionFacts& facts) const override;
  Result<llvm::Value*> data_address(const Frame& frame, const bpf::LoadImm64& load) const override;
  Result<llvm::Value*> context_load(const Frame& frame, const bpf::Load& load,
                                    const verifier::InstructionFacts& facts) const override;
  Result<llvm::Value*> atomic(const Frame& frame, const bpf::Atomic& atomic,
                              const verifier::InstructionFacts& facts) const override;
  Result<void> call_helper(const Frame& frame, const bpf::CallHelper& call,
                           const verifier::InstructionFacts& facts) const override;
  Result<void> call_extern(const Frame& frame, const bpf::CallExtern& call) const override;
  Result<void> call_subprogram(const Frame& frame, const bpf::CallSubprogram& call) const override;
  Result<void> leave(const Frame& frame) const override;

 protected:
  [[nodiscard]] const FunctionTable& functions() const { return functions_; }

 private:
  const FunctionTable& functions_;
};

}  // namespace egpu::codegen
