// The part of InstructionLowering that touches memory. The checker's facts say which memory; the
// address space follows from them, so that PTX gets ld.global and red.global, and from the context
// nothing is read at all.
#include <llvm/Support/NVPTXAddrSpace.h>

#include <array>

#include "abi/probe_table.h"
#include "codegen/lower_instruction.h"

namespace egpu::codegen {
namespace {

using llvm::Value;

constexpr std::int32_t kMapLookupHelper = 1;  // bpf_map_lookup_elem

unsigned bits_of(bpf::MemSize size) { return 8U * static_cast<unsigned>(size); }

// Whether the old value goes to the source register (compare-exchange: to r0).
bool fetches(const bpf::Atomic& atomic) {
  return atomic.fetch || atomic.op == bpf::AtomicOp::kExchange ||
         atomic.op == bpf::AtomicOp::kCompareExchange;
}

const char* operation_name(bpf::AtomicOp op) {
  switch (op) {
    case bpf::AtomicOp::kAdd:
      return "add";
    case bpf::AtomicOp::kOr:
      return "or";
    case bpf::AtomicOp::kAnd:
      return "and";
    case bpf::AtomicOp::kXor:
      return "xor";
    case bpf::AtomicOp::kExchange:
      return "exchange";
    case bpf::AtomicOp::kCompareExchange:
      break;
  }
  return "compare_exchange";
}

// "egpu_fetch_add_64", as src/device/atomics.c names it.
std::string runtime_name(const bpf::Atomic& atomic) {
  const std::string bits = std::to_string(bits_of(atomic.size));
  if (atomic.op == bpf::AtomicOp::kCompareExchange) return "egpu_compare_exchange_" + bits;
  return std::string(fetches(atomic) ? "egpu_fetch_" : "egpu_reduce_") + operation_name(atomic.op) +
         "_" + bits;
}

// Stack and map values start at multiples of 8 bytes and the checker admits aligned accesses alone.
llvm::Align alignment_of(bpf::MemSize size) {
  return llvm::Align(static_cast<std::uint64_t>(size));
}

}  // namespace

Result<Value*> InstructionLowering::memory_pointer(bpf::Reg base, std::int16_t offset) {
  if (facts_->region == verifier::Region::kStack)
    return registers_.stack_address(builder_, facts_->offset);
  if (facts_->region != verifier::Region::kMapValue)
    return internal_error("a memory access without a region reached the code generator");
  Value* address = builder_.CreateAdd(registers_.read(builder_, base, bpf::Width::k64),
                                      llvm::ConstantInt::getSigned(builder_.getInt64Ty(), offset));
  auto* pointer =
      llvm::PointerType::get(builder_.getContext(), llvm::NVPTXAS::ADDRESS_SPACE_GLOBAL);
  return builder_.CreateIntToPtr(address, pointer);
}

Result<Value*> InstructionLowering::load_value(const bpf::Load& load) {
  if (facts_->region != verifier::Region::kContext) {
    EGPU_ASSIGN(Value * pointer, memory_pointer(load.base, load.offset));
    return builder_.CreateAlignedLoad(builder_.getIntNTy(bits_of(load.size)), pointer,
                                      alignment_of(load.size));
  }
  const auto field = abi::context_field_at(facts_->offset);
  if (!field || load.size != bpf::MemSize::k32)
    return internal_error("a context access that is no field reached the code generator");
  return context_value(builder_, *field, inputs_);
}

Result<void> InstructionLowering::operator()(const bpf::Load& load) {
  EGPU_ASSIGN(Value * value, load_value(load));
  if (load.sign_extend) value = builder_.CreateSExt(value, builder_.getInt64Ty());
  registers_.write(builder_, load.dst, value);
  return {};
}

Result<void> InstructionLowering::operator()(const bpf::Store& store) {
  EGPU_ASSIGN(Value * pointer, memory_pointer(store.base, store.offset));
  Value* value = registers_.read(builder_, store.src, bpf::Width::k64);
  builder_.CreateAlignedStore(builder_.CreateTrunc(value, builder_.getIntNTy(bits_of(store.size))),
                              pointer, alignment_of(store.size));
  return {};
}

Result<void> InstructionLowering::operator()(const bpf::Atomic& atomic) {
  if (facts_->region != verifier::Region::kMapValue)
    return internal_error(
        "an atomic operation on something else than a map value reached the code generator");
  EGPU_ASSIGN(Value * pointer, memory_pointer(atomic.base, atomic.offset));
  const bpf::Width width = atomic.size == bpf::MemSize::k64 ? bpf::Width::k64 : bpf::Width::k32;
  const bool compares = atomic.op == bpf::AtomicOp::kCompareExchange;
  llvm::SmallVector<Value*, 3> arguments{builder_.CreatePtrToInt(pointer, builder_.getInt64Ty())};
  if (compares) arguments.push_back(registers_.read(builder_, bpf::kR0, width));
  arguments.push_back(registers_.read(builder_, atomic.src, width));
  EGPU_ASSIGN(Value * old, call_runtime(runtime_name(atomic), arguments));
  if (compares)
    registers_.write(builder_, bpf::kR0, old);
  else if (fetches(atomic))
    registers_.write(builder_, atomic.src, old);
  return {};
}

Result<void> InstructionLowering::operator()(const bpf::CallHelper& call) {
  if (call.helper == kMapLookupHelper) return emit_map_lookup();
  return internal_error("helper " + std::to_string(call.helper) +
                        " passed the checker but has no code");
}

Result<void> InstructionLowering::emit_map_lookup() {
  if (facts_->map >= parts_.object.maps.size())
    return internal_error("a lookup in map " + std::to_string(facts_->map) +
                          ", which does not exist, reached the code generator");
  const bpf::MapDefinition& map = parts_.object.maps[facts_->map];
  Value* key = builder_.CreateIntToPtr(registers_.read(builder_, bpf::Reg{2}, bpf::Width::k64),
                                       builder_.getPtrTy());
  Value* index = builder_.CreateLoad(builder_.getInt32Ty(), key);
  Value* address = parts_.table.map_address(builder_, facts_->map);
  Value* value_stride = builder_.getInt64(abi::value_stride(map.value_size));

  Result<Value*> found = nullptr;
  if (map.type == bpf::MapType::kArray) {
    found = call_runtime("egpu_array_element", std::array{address, index, value_stride});
  } else {
    Value* shard_stride = builder_.getInt64(abi::shard_stride(map.value_size, map.max_entries));
    found = call_runtime(
        "egpu_percpu_array_element",
        std::array{address, parts_.table.shards(builder_), index, value_stride, shard_stride});
  }
  EGPU_ASSIGN(Value * element, std::move(found));
  // Null too where the map was never given memory (address 0 in the probe table): the program then
  // takes the path of its own null check.
  Value* missing =
      builder_.CreateOr(builder_.CreateICmpEQ(address, builder_.getInt64(0)),
                        builder_.CreateICmpUGE(index, builder_.getInt32(map.max_entries)));
  registers_.write(builder_, bpf::kR0,
                   builder_.CreateSelect(missing, builder_.getInt64(0), element));
  return {};
}

Result<Value*> InstructionLowering::call_runtime(const std::string& name,
                                                 std::span<Value* const> arguments) {
  llvm::Function* function = parts_.module.getFunction(name);
  if (function == nullptr) return internal_error("the device runtime has no " + name);
  return builder_.CreateCall(function, llvm::ArrayRef<Value*>(arguments.data(), arguments.size()));
}

}  // namespace egpu::codegen
