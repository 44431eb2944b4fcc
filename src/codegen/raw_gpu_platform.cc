#include "codegen/raw_gpu_platform.h"

#include <llvm/Support/NVPTXAddrSpace.h>

#include "abi/raw_kernel.h"
#include "codegen/device_calls.h"

namespace egpu::codegen {

using llvm::Value;

Result<Value*> RawGpuPlatform::address(const Frame& frame, bpf::Reg base, std::int16_t offset,
                                       const verifier::InstructionFacts&) const {
  auto* pointer =
      llvm::PointerType::get(frame.builder.getContext(), llvm::NVPTXAS::ADDRESS_SPACE_GLOBAL);
  return frame.builder.CreateIntToPtr(frame.registers.sum(frame.builder, base, offset), pointer);
}

Result<Value*> RawGpuPlatform::atomic(const Frame& frame, const bpf::Atomic& atomic,
                                      const verifier::InstructionFacts&) const {
  return call_atomic(frame, atomic, frame.registers.sum(frame.builder, atomic.base, atomic.offset));
}

Result<void> RawGpuPlatform::call_subprogram(const Frame& frame,
                                             const bpf::CallSubprogram& call) const {
  Value* stack = frame.registers.sum(frame.builder, bpf::kR10,
                                     -static_cast<std::int16_t>(abi::kRawStackBytes));
  return call_function(frame, {.functions = functions(), .handed_down = {stack}}, call.target);
}

}  // namespace egpu::codegen
