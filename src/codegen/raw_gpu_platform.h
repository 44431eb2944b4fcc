// Raw programs on the GPU: as on the host, memory is whatever the registers point to. All of it is
// global, and atomics are the device runtime's.
#pragma once

#include "codegen/host_platform.h"

namespace egpu::codegen {

class RawGpuPlatform : public HostPlatform {
 public:
  using HostPlatform::HostPlatform;

  Result<llvm::Value*> address(const Frame& frame, bpf::Reg base, std::int16_t offset,
                               const verifier::InstructionFacts& facts) const override;
  Result<llvm::Value*> atomic(const Frame& frame, const bpf::Atomic& atomic,
                              const verifier::InstructionFacts& facts) const override;
  // Also hands the callee its stack: what lies below the caller's.
  Result<void> call_subprogram(const Frame& frame, const bpf::CallSubprogram& call) const override;
};

}  // namespace egpu::codegen
