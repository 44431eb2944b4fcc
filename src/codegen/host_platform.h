// Raw programs on the host. Nobody has checked them: memory is whatever the registers point to.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>
#include <map>

#include "codegen/platform.h"

namespace egpu::codegen {

// By the first instruction of each.
using HostFunctions = std::map<std::uint32_t, llvm::Function*>;

class HostPlatform : public Platform {
 public:
  explicit HostPlatform(const HostFunctions& functions) : functions_(functions) {}

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
  const HostFunctions& functions_;
};

}  // namespace egpu::codegen
