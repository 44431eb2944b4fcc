#include "codegen/gpu_platform.h"

#include <llvm/Support/NVPTXAddrSpace.h>

#include <array>

#include "abi/map_layout.h"
#include "codegen/device_calls.h"

namespace egpu::codegen {

using llvm::Value;
using verifier::HelperId;
using verifier::Region;

GpuPlatform::GpuPlatform(const ModuleParts& parts, const ProbeInputs& inputs,
                         const FunctionTable& functions)
    : CheckedPlatform(parts.object, parts.uses,
                      {.functions = functions, .handed_down = hand_down(inputs)}),
      parts_(parts),
      inputs_(inputs) {}

// Registers hold addresses of the generic space, in which global memory has its own addresses.
Result<Value*> GpuPlatform::address(const Frame& frame, bpf::Reg base, std::int16_t offset,
                                    const verifier::InstructionFacts& facts) const {
  llvm::IRBuilder<>& builder = frame.builder;
  unsigned space = llvm::NVPTXAS::ADDRESS_SPACE_GLOBAL;
  switch (facts.region) {
    case Region::kStack:
      return frame.registers.stack_address(builder, facts.offset);
    case Region::kMapValue:
    case Region::kReadOnly:
      break;
    case Region::kGeneric:
      space = llvm::NVPTXAS::ADDRESS_SPACE_GENERIC;
      break;
    case Region::kNone:
    case Region::kContext:
      return internal_error("a memory access without a region reached the code generator");
  }
  return builder.CreateIntToPtr(frame.registers.sum(builder, base, offset),
                                llvm::PointerType::get(builder.getContext(), space));
}

Result<Value*> GpuPlatform::context_load(const Frame& frame, const bpf::Load& load,
                                         const verifier::InstructionFacts& facts) const {
  const auto field = abi::context_field_at(facts.offset);
  if (!field || load.size != bpf::MemSize::k32)
    return internal_error("a context access that is no field reached the code generator");
  return context_value(frame.builder, *field, inputs_);
}

Value* GpuPlatform::map_address(llvm::IRBuilder<>& builder, std::uint32_t map) const {
  return parts_.table.map_address(builder, map);
}

Result<Value*> GpuPlatform::element_address(llvm::IRBuilder<>& builder,
                                            const bpf::MapDefinition& map, Value* address,
                                            Value* index) const {
  Value* value_stride = builder.getInt64(abi::value_stride(map.value_size));
  if (map.type == bpf::MapType::kArray && map.sum_bytes == 0)
    return call_runtime(builder, "egpu_array_element", std::array{address, index, value_stride});
  Value* shard_stride = builder.getInt64(abi::array_bytes(map.value_size, map.max_entries));
  return call_runtime(
      builder, map.sum_bytes != 0 ? "egpu_sums_element" : "egpu_percpu_array_element",
      std::array{address, parts_.table.shards(builder), index, value_stride, shard_stride});
}

Value* GpuPlatform::shards(llvm::IRBuilder<>& builder) const {
  return parts_.table.shards(builder);
}

Result<Value*> GpuPlatform::map_function(llvm::IRBuilder<>& builder, const std::string& name,
                                         llvm::ArrayRef<Value*> arguments) const {
  return call_runtime(builder, name, arguments);
}

unsigned GpuPlatform::read_only_space() const { return llvm::NVPTXAS::ADDRESS_SPACE_GLOBAL; }

Result<Value*> GpuPlatform::map_atomic(const Frame& frame, const bpf::Atomic& atomic,
                                       const verifier::InstructionFacts&) const {
  return call_atomic(frame, atomic, frame.registers.sum(frame.builder, atomic.base, atomic.offset));
}

Result<Value*> GpuPlatform::simple_call(const Frame& frame, HelperId id) const {
  llvm::IRBuilder<>& builder = frame.builder;
  const auto argument = [&](bpf::Reg reg) {
    return frame.registers.read(builder, reg, bpf::Width::k64);
  };
  switch (id) {
    case HelperId::kKtimeGetNs:
    case HelperId::kGlobalTimer:
      return call_runtime(builder, "egpu_read_globaltimer", {});
    case HelperId::kClock:
      return call_runtime(builder, "egpu_read_clock", {});
    case HelperId::kGridId:
      return call_runtime(builder, "egpu_read_grid_id", {});
    case HelperId::kGetPrandomU32:
      return call_runtime(builder, "egpu_random", {});
    case HelperId::kGetSmpProcessorId:
      return context_value(builder, abi::ContextField::kSmId, inputs_);
    case HelperId::kGetCurrentPidTgid: {
      // A GPU thread is no task: the process stands for both.
      Value* process = builder.CreateZExt(parts_.table.process_id(builder), builder.getInt64Ty());
      return builder.CreateOr(builder.CreateShl(process, 32), process);
    }
    case HelperId::kGetCurrentComm: {
      const auto [low, high] = parts_.table.command(builder);
      return call_runtime(builder, "egpu_copy_command",
                          std::array{argument(bpf::kR1), argument(bpf::kR2), low, high});
    }
    case HelperId::kTracePrintk:
      return trace(frame);
    case HelperId::kStrncmp:
      return call_runtime(builder, "egpu_strncmp",
                          std::array{argument(bpf::kR1), argument(bpf::kR2), argument(bpf::kR3)});
    case HelperId::kMapLookupElem:
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
    case HelperId::kForEachMapElem:
    case HelperId::kLog2:
    case HelperId::kLoop:
      break;
  }
  return internal_error("helper " + std::to_string(static_cast<std::int32_t>(id)) +
                        " passed the checker but has no code");
}

// A record of the object's ring of traces: the values, then the format.
Result<Value*> GpuPlatform::trace(const Frame& frame) const {
  llvm::IRBuilder<>& builder = frame.builder;
  const auto& maps = parts_.object.maps;
  if (maps.empty() || maps.back().name != bpf::kTraceMap)
    return internal_error("an object that traces has no ring buffer for it");
  const auto index = static_cast<std::uint32_t>(maps.size() - 1);
  llvm::SmallVector<Value*, 8> arguments{map_address(builder, index)};
  for (bpf::Reg reg = bpf::kR1; reg.index <= kArguments; ++reg.index)
    arguments.push_back(frame.registers.read(builder, reg, bpf::Width::k64));
  arguments.push_back(builder.getInt32(maps.back().max_entries));
  arguments.push_back(shards(builder));
  return call_runtime(builder, "egpu_trace", arguments);
}

}  // namespace egpu::codegen
