#include "codegen/host_object_platform.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <string>

#include "abi/map_layout.h"
#include "codegen/host_atomics.h"

namespace egpu::codegen {

using llvm::Value;
using verifier::Region;

namespace {

// Calls a function of this program, which gives a number of 64 bits.
Value* call_host(llvm::IRBuilder<>& builder, llvm::StringRef name,
                 llvm::ArrayRef<Value*> arguments) {
  llvm::SmallVector<llvm::Type*, 9> types;
  for (const Value* argument : arguments) types.push_back(argument->getType());
  auto* type = llvm::FunctionType::get(builder.getInt64Ty(), types, false);
  return builder.CreateCall(builder.GetInsertBlock()->getModule()->getOrInsertFunction(name, type),
                            arguments);
}

}  // namespace

Result<Value*> HostObjectPlatform::address(const Frame& frame, bpf::Reg base, std::int16_t offset,
                                           const verifier::InstructionFacts& facts) const {
  llvm::IRBuilder<>& builder = frame.builder;
  if (facts.region == Region::kNone)
    return internal_error("a memory access without a region reached the code generator");
  if (facts.region == Region::kStack) return frame.registers.stack_address(builder, facts.offset);
  return builder.CreateIntToPtr(frame.registers.sum(builder, base, offset), builder.getPtrTy());
}

Result<Value*> HostObjectPlatform::context_load(const Frame& frame, const bpf::Load& load,
                                                const verifier::InstructionFacts& facts) const {
  if (load.size != bpf::MemSize::k32)
    return internal_error("a context access that is no field reached the code generator");
  EGPU_ASSIGN(Value * pointer, address(frame, load.base, load.offset, facts));
  return frame.builder.CreateLoad(frame.builder.getInt32Ty(), pointer);
}

Value* HostObjectPlatform::map_address(llvm::IRBuilder<>& builder, std::uint32_t map) const {
  return builder.getInt64(memory_.maps[map]);
}

Result<Value*> HostObjectPlatform::element_address(llvm::IRBuilder<>& builder,
                                                   const bpf::MapDefinition& map, Value* address,
                                                   Value* index) const {
  Value* offset = builder.CreateMul(builder.CreateZExt(index, builder.getInt64Ty()),
                                    builder.getInt64(abi::value_stride(map.value_size)));
  return builder.CreateAdd(address, offset);
}

Result<Value*> HostObjectPlatform::map_function(llvm::IRBuilder<>& builder, const std::string& name,
                                                llvm::ArrayRef<Value*> arguments) const {
  return call_host(builder, name, arguments);
}

Result<Value*> HostObjectPlatform::map_atomic(const Frame& frame, const bpf::Atomic& atomic,
                                              const verifier::InstructionFacts& facts) const {
  EGPU_ASSIGN(Value * pointer, address(frame, atomic.base, atomic.offset, facts));
  return emit_host_atomic(frame, atomic, pointer);
}

Result<Value*> HostObjectPlatform::simple_call(const Frame& frame, verifier::HelperId id) const {
  const auto helpers = host_helpers();
  const auto helper = std::ranges::find(helpers, id, &HostHelper::id);
  if (helper == helpers.end())
    return internal_error("helper " + std::to_string(static_cast<std::int32_t>(id)) +
                          " passed the checker but has no code");
  llvm::IRBuilder<>& builder = frame.builder;
  llvm::SmallVector<Value*, 6> arguments;
  if (helper->traces)
    arguments.push_back(builder.getInt64(reinterpret_cast<std::uint64_t>(memory_.trace)));
  bpf::Reg argument = bpf::kR1;
  for (unsigned i = 0; i < helper->arguments; ++i, ++argument.index)
    arguments.push_back(frame.registers.read(builder, argument, bpf::Width::k64));
  return call_host(builder, helper->name, arguments);
}

}  // namespace egpu::codegen
