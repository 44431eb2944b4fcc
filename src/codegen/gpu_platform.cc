#include "codegen/gpu_platform.h"

#include <llvm/Support/NVPTXAddrSpace.h>

#include <array>

#include "abi/probe_table.h"
#include "codegen/device_calls.h"
#include "verifier/helpers.h"

namespace egpu::codegen {

using llvm::Value;

Result<Value*> GpuPlatform::address(const Frame& frame, bpf::Reg base, std::int16_t offset,
                                    const verifier::InstructionFacts& facts) const {
  llvm::IRBuilder<>& builder = frame.builder;
  if (facts.region == verifier::Region::kStack)
    return frame.registers.stack_address(builder, facts.offset);
  if (facts.region != verifier::Region::kMapValue)
    return internal_error("a memory access without a region reached the code generator");
  Value* address = builder.CreateAdd(frame.registers.read(builder, base, bpf::Width::k64),
                                     llvm::ConstantInt::getSigned(builder.getInt64Ty(), offset));
  auto* pointer = llvm::PointerType::get(builder.getContext(), llvm::NVPTXAS::ADDRESS_SPACE_GLOBAL);
  return builder.CreateIntToPtr(address, pointer);
}

// Stack and map values start at multiples of 8 bytes and the checker admits aligned accesses alone.
Access GpuPlatform::access(bpf::MemSize size) const {
  return {llvm::Align(static_cast<std::uint64_t>(size)), /*is_volatile=*/false};
}

Result<Value*> GpuPlatform::context_load(const Frame& frame, const bpf::Load& load,
                                         const verifier::InstructionFacts& facts) const {
  const auto field = abi::context_field_at(facts.offset);
  if (!field || load.size != bpf::MemSize::k32)
    return internal_error("a context access that is no field reached the code generator");
  return context_value(frame.builder, *field, inputs_);
}

Result<Value*> GpuPlatform::atomic(const Frame& frame, const bpf::Atomic& atomic,
                                   const verifier::InstructionFacts& facts) const {
  if (facts.region != verifier::Region::kMapValue)
    return internal_error(
        "an atomic operation on something else than a map value reached the code generator");
  llvm::IRBuilder<>& builder = frame.builder;
  EGPU_ASSIGN(Value * pointer, address(frame, atomic.base, atomic.offset, facts));
  return call_atomic(frame, atomic, builder.CreatePtrToInt(pointer, builder.getInt64Ty()));
}

Result<void> GpuPlatform::call_helper(const Frame& frame, const bpf::CallHelper& call,
                                      const verifier::InstructionFacts& facts) const {
  if (call.helper == static_cast<std::int32_t>(verifier::HelperId::kMapLookupElem))
    return map_lookup(frame, facts.map);
  return internal_error("helper " + std::to_string(call.helper) +
                        " passed the checker but has no code");
}

Result<void> GpuPlatform::call_subprogram(const Frame&, const bpf::CallSubprogram&) const {
  return internal_error("a call of a subprogram passed the checker but has no code");
}

Result<void> GpuPlatform::leave(const Frame& frame) const {
  frame.builder.CreateRetVoid();
  return {};
}

Result<void> GpuPlatform::map_lookup(const Frame& frame, std::uint32_t map_index) const {
  if (map_index >= parts_.object.maps.size())
    return internal_error("a lookup in map " + std::to_string(map_index) +
                          ", which does not exist, reached the code generator");
  llvm::IRBuilder<>& builder = frame.builder;
  const bpf::MapDefinition& map = parts_.object.maps[map_index];
  Value* key = builder.CreateIntToPtr(frame.registers.read(builder, bpf::Reg{2}, bpf::Width::k64),
                                      builder.getPtrTy());
  Value* index = builder.CreateLoad(builder.getInt32Ty(), key);
  Value* address = parts_.table.map_address(builder, map_index);
  Value* value_stride = builder.getInt64(abi::value_stride(map.value_size));

  Result<Value*> found = nullptr;
  if (map.type == bpf::MapType::kArray) {
    found = call_runtime(builder, "egpu_array_element", std::array{address, index, value_stride});
  } else {
    Value* shard_stride = builder.getInt64(abi::shard_stride(map.value_size, map.max_entries));
    found = call_runtime(
        builder, "egpu_percpu_array_element",
        std::array{address, parts_.table.shards(builder), index, value_stride, shard_stride});
  }
  EGPU_ASSIGN(Value * element, std::move(found));
  // Null too where the map was never given memory (address 0 in the probe table): the program then
  // takes the path of its own null check.
  Value* missing =
      builder.CreateOr(builder.CreateICmpEQ(address, builder.getInt64(0)),
                       builder.CreateICmpUGE(index, builder.getInt32(map.max_entries)));
  frame.registers.write(builder, bpf::kR0,
                        builder.CreateSelect(missing, builder.getInt64(0), element));
  return {};
}

}  // namespace egpu::codegen
