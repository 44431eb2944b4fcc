#include "codegen/host_platform.h"

#include <string>

#include "codegen/host_atomics.h"

namespace egpu::codegen {

using llvm::Value;

Result<Value*> HostPlatform::address(const Frame& frame, bpf::Reg base, std::int16_t offset,
                                     const verifier::InstructionFacts&) const {
  return frame.builder.CreateIntToPtr(frame.registers.sum(frame.builder, base, offset),
                                      frame.builder.getPtrTy());
}

Access HostPlatform::access(bpf::MemSize, const verifier::InstructionFacts&) const {
  return {llvm::Align(1), /*is_volatile=*/true};
}

Result<Value*> HostPlatform::data_address(const Frame&, const bpf::LoadImm64&) const {
  return internal_error("a raw program has no variables, yet the address of one was asked for");
}

Result<Value*> HostPlatform::context_load(const Frame&, const bpf::Load&,
                                          const verifier::InstructionFacts&) const {
  return internal_error(
      "a raw program has no context, yet a load of it reached the code generator");
}

Result<Value*> HostPlatform::atomic(const Frame& frame, const bpf::Atomic& atomic,
                                    const verifier::InstructionFacts& facts) const {
  EGPU_ASSIGN(Value * pointer, address(frame, atomic.base, atomic.offset, facts));
  return emit_host_atomic(frame, atomic, pointer);
}

Result<void> HostPlatform::call_helper(const Frame&, const bpf::CallHelper& call,
                                       const verifier::InstructionFacts&) const {
  return input_error("helper " + std::to_string(call.helper) +
                     " cannot be called by a raw program");
}

Result<void> HostPlatform::call_extern(const Frame&, const bpf::CallExtern&) const {
  return internal_error("a raw program has no names, yet a function was called by its name");
}

Result<void> HostPlatform::call_subprogram(const Frame& frame,
                                           const bpf::CallSubprogram& call) const {
  return call_function(frame, {.functions = functions_}, call.target);
}

Result<void> HostPlatform::leave(const Frame& frame) const {
  frame.builder.CreateRet(frame.registers.read(frame.builder, bpf::kR0, bpf::Width::k64));
  return {};
}

}  // namespace egpu::codegen
