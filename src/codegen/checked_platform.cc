#include "codegen/checked_platform.h"

#include <llvm/IR/Intrinsics.h>

#include <string>

#include "abi/map_layout.h"
#include "codegen/map_calls.h"
#include "codegen/read_only.h"

namespace egpu::codegen {

using llvm::Value;
using verifier::HelperId;
using verifier::Region;

namespace {

// Of 0 it is 0.
Value* log2_of_r1(const Frame& frame) {
  llvm::IRBuilder<>& builder = frame.builder;
  Value* number = frame.registers.read(builder, bpf::kR1, bpf::Width::k64);
  Value* zeros = builder.CreateBinaryIntrinsic(
      llvm::Intrinsic::ctlz, builder.CreateOr(number, builder.getInt64(1)), builder.getTrue());
  return builder.CreateSub(builder.getInt64(63), zeros);
}

}  // namespace

CheckedPlatform::CheckedPlatform(const bpf::Object& object, const verifier::MapUses& uses,
                                 Callees callees)
    : object_(object), uses_(uses), callees_(std::move(callees)) {}

// Frames, values and sections start at multiples of 8 bytes and the checker admits aligned accesses
// alone.
//
// Loads of map values are weak: other threads may store meanwhile, and LLVM, as ptxas after it,
// would be free to read a value again where it is used after a check. Neither has a reason to: a
// value that was loaded is in a register. What would forbid it costs on the GPU: an atomic load is
// ld.relaxed and a volatile one ld.volatile (relaxed, .sys scope), which both go past the L1 cache;
// a barrier in LLVM IR alone would bind LLVM, not ptxas, and hide the value from the optimiser.
Access CheckedPlatform::access(bpf::MemSize size, const verifier::InstructionFacts& facts) const {
  return {.alignment = llvm::Align(static_cast<std::uint64_t>(size)),
          .is_volatile = false,
          .is_invariant = facts.region == Region::kReadOnly};
}

Result<Value*> CheckedPlatform::data_address(const Frame& frame, const bpf::LoadImm64& load) const {
  llvm::IRBuilder<>& builder = frame.builder;
  if (load.kind == bpf::Imm64Kind::kReadOnly)
    return read_only_address(builder, object_, load.index, load.value, read_only_space());
  EGPU_ASSIGN(const bpf::MapDefinition* section, map_at(load.index));
  EGPU_ASSIGN(Value * value, element_address(builder, *section, map_address(builder, load.index),
                                             builder.getInt32(0)));
  return builder.CreateAdd(value, builder.getInt64(load.value));
}

Result<Value*> CheckedPlatform::atomic(const Frame& frame, const bpf::Atomic& atomic,
                                       const verifier::InstructionFacts& facts) const {
  if (facts.region == Region::kMapValue) return map_atomic(frame, atomic, facts);
  return internal_error(
      "an atomic operation on something else than a map value reached the code generator");
}

Result<void> CheckedPlatform::call_helper(const Frame& frame, const bpf::CallHelper& call,
                                          const verifier::InstructionFacts& facts) const {
  const auto* const helper = verifier::find_helper(call.helper);
  if (helper == nullptr)
    return internal_error("helper " + std::to_string(call.helper) +
                          " passed the checker but has no code");
  switch (helper->id) {
    case HelperId::kMapLookupElem: {
      EGPU_ASSIGN(const bpf::MapDefinition* map, map_at(facts.map));
      return bpf::is_array(map->type) ? element_lookup(frame, *map, facts.map)
                                      : map_call(frame, *helper, facts);
    }
    case HelperId::kMapUpdateElem:
    case HelperId::kMapDeleteElem:
    case HelperId::kMapPushElem:
    case HelperId::kMapPopElem:
    case HelperId::kMapPeekElem:
    case HelperId::kPerfEventOutput:
    case HelperId::kRingbufReserve:
    case HelperId::kRingbufSubmit:
    case HelperId::kRingbufDiscard:
    case HelperId::kRingbufOutput:
    case HelperId::kRingbufQuery:
      return map_call(frame, *helper, facts);
    case HelperId::kLoop:
      return call_loop(frame, callees_, facts.callback);
    case HelperId::kForEachMapElem:
      return for_each(frame, facts);
    default:
      break;
  }
  EGPU_ASSIGN(Value * result, simple_call(frame, helper->id));
  frame.registers.write(frame.builder, bpf::kR0, result);
  return {};
}

Result<void> CheckedPlatform::call_extern(const Frame& frame, const bpf::CallExtern& call) const {
  const auto* const function = call.function < object_.externs.size()
                                   ? verifier::find_extern(object_.externs[call.function])
                                   : nullptr;
  if (function == nullptr)
    return internal_error("a call of an unknown external function passed the checker");
  if (function->id == HelperId::kLog2) {
    frame.registers.write(frame.builder, bpf::kR0, log2_of_r1(frame));
    return {};
  }
  EGPU_ASSIGN(Value * result, simple_call(frame, function->id));
  frame.registers.write(frame.builder, bpf::kR0, result);
  return {};
}

Result<void> CheckedPlatform::call_subprogram(const Frame& frame,
                                              const bpf::CallSubprogram& call) const {
  return call_function(frame, callees_, call.target);
}

Result<void> CheckedPlatform::leave(const Frame& frame) const {
  llvm::IRBuilder<>& builder = frame.builder;
  if (builder.getCurrentFunctionReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(frame.registers.read(builder, bpf::kR0, bpf::Width::k64));
  return {};
}

Result<const bpf::MapDefinition*> CheckedPlatform::map_at(std::uint32_t index) const {
  if (index < object_.maps.size()) return &object_.maps[index];
  return internal_error("map " + std::to_string(index) +
                        ", which does not exist, reached the code generator");
}

Result<void> CheckedPlatform::element_lookup(const Frame& frame, const bpf::MapDefinition& map,
                                             std::uint32_t map_index) const {
  llvm::IRBuilder<>& builder = frame.builder;
  Value* key = builder.CreateIntToPtr(frame.registers.read(builder, bpf::kR2, bpf::Width::k64),
                                      builder.getPtrTy());
  Value* index = builder.CreateAlignedLoad(builder.getInt32Ty(), key, llvm::Align(1));
  Value* address = map_address(builder, map_index);
  EGPU_ASSIGN(Value * element, element_address(builder, map, address, index));
  // Null too where the map was never given memory: the program then takes the path of its own null
  // check.
  Value* missing =
      builder.CreateOr(builder.CreateICmpEQ(address, builder.getInt64(0)),
                       builder.CreateICmpUGE(index, builder.getInt32(map.max_entries)));
  frame.registers.write(builder, bpf::kR0,
                        builder.CreateSelect(missing, builder.getInt64(0), element));
  return {};
}

// As EGPU_SHAPE of device/map.h names it.
void CheckedPlatform::append_shape(llvm::IRBuilder<>& builder, std::uint32_t map_index,
                                   llvm::SmallVectorImpl<Value*>& arguments) const {
  const bpf::MapDefinition& map = object_.maps[map_index];
  const verifier::MapUse& use = uses_[map_index];
  for (const std::uint32_t number : {map.key_size, map.value_size, map.max_entries})
    arguments.push_back(builder.getInt32(number));
  arguments.push_back(shards(builder));
  arguments.push_back(
      builder.getInt32((use.deletes ? +abi::kMayDelete : 0) | (use.loads ? +abi::kMayLoad : 0)));
}

Result<void> CheckedPlatform::map_call(const Frame& frame, const verifier::HelperPrototype& helper,
                                       const verifier::InstructionFacts& facts) const {
  llvm::IRBuilder<>& builder = frame.builder;
  EGPU_ASSIGN(const bpf::MapDefinition* map, map_at(facts.map));
  if (const auto answer = constant_answer(map->type, helper.id)) {
    frame.registers.write(builder, bpf::kR0,
                          llvm::ConstantInt::getSigned(builder.getInt64Ty(), *answer));
    return {};
  }
  llvm::SmallVector<Value*, 9> arguments{map_address(builder, facts.map)};
  bpf::Reg argument = bpf::kR1;
  for (const verifier::ArgumentKind kind : helper.arguments) {
    if (!verifier::is_map(kind) && kind != verifier::ArgumentKind::kUnused)
      arguments.push_back(frame.registers.read(builder, argument, bpf::Width::k64));
    ++argument.index;
  }
  if (helper.ends_record) arguments.push_back(builder.getInt64(facts.record_bytes));
  append_shape(builder, facts.map, arguments);
  EGPU_ASSIGN(Value * result,
              map_function(builder, map_function_name(map->type, helper.id), arguments));
  frame.registers.write(builder, bpf::kR0, result);
  return {};
}

Result<void> CheckedPlatform::for_each(const Frame& frame,
                                       const verifier::InstructionFacts& facts) const {
  llvm::IRBuilder<>& builder = frame.builder;
  EGPU_ASSIGN(const bpf::MapDefinition* map, map_at(facts.map));
  Value* address = map_address(builder, facts.map);
  Value* missing = builder.CreateICmpEQ(address, builder.getInt64(0));
  const bool is_array = bpf::is_array(map->type);
  const std::uint64_t places = is_array ? map->max_entries : abi::hash_slots(map->max_entries);
  const auto element = [&](Value* index, Value* key) -> Result<Value*> {
    if (!is_array) {
      llvm::SmallVector<Value*, 9> arguments{address, index, key};
      append_shape(builder, facts.map, arguments);
      return map_function(builder, map_function_name(map->type, HelperId::kForEachMapElem),
                          arguments);
    }
    Value* number = builder.CreateTrunc(index, builder.getInt32Ty());
    builder.CreateStore(number, builder.CreateIntToPtr(key, builder.getPtrTy()));
    return element_address(builder, *map, address, number);
  };
  return call_for_each(
      frame, callees_, facts.callback,
      {.places = builder.CreateSelect(missing, builder.getInt64(0), builder.getInt64(places)),
       .key_bytes = map->key_size,
       .all_hold_elements = is_array,
       .element = element});
}

}  // namespace egpu::codegen
