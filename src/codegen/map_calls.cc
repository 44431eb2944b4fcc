#include "codegen/map_calls.h"

#include <algorithm>
#include <cerrno>

namespace egpu::codegen {
namespace {

using verifier::HelperId;

const char* type_name(bpf::MapType type) {
  switch (type) {
    case bpf::MapType::kArray:
      return "array";
    case bpf::MapType::kPercpuArray:
      return "percpu_array";
    case bpf::MapType::kHash:
      return "hash";
    case bpf::MapType::kPercpuHash:
      return "percpu_hash";
    case bpf::MapType::kLruHash:
      return "lru_hash";
    case bpf::MapType::kQueue:
      return "queue";
    case bpf::MapType::kStack:
      return "stack";
    case bpf::MapType::kPerfEventArray:
      return "perf_event_array";
    case bpf::MapType::kRingbuf:
      return "ringbuf";
  }
  return "";
}

const char* operation_name(HelperId helper) {
  switch (helper) {
    case HelperId::kMapLookupElem:
      return "lookup";
    case HelperId::kMapUpdateElem:
      return "update";
    case HelperId::kMapDeleteElem:
      return "delete";
    case HelperId::kForEachMapElem:
      return "visit";
    case HelperId::kMapPushElem:
      return "push";
    case HelperId::kMapPopElem:
      return "pop";
    case HelperId::kMapPeekElem:
      return "peek";
    case HelperId::kRingbufReserve:
      return "reserve";
    case HelperId::kRingbufSubmit:
      return "submit";
    case HelperId::kRingbufDiscard:
      return "discard";
    case HelperId::kPerfEventOutput:
    case HelperId::kRingbufOutput:
      return "output";
    case HelperId::kRingbufQuery:
      return "query";
    default:
      return "";
  }
}

}  // namespace

std::optional<std::int64_t> constant_answer(bpf::MapType type, HelperId helper) {
  // Elements of arrays are always there.
  if (bpf::is_array(type) && helper == HelperId::kMapDeleteElem) return -EINVAL;
  return std::nullopt;
}

std::string map_function_name(bpf::MapType type, HelperId helper) {
  return std::string("egpu_") + type_name(type) + "_" + operation_name(helper);
}

bool deletes_elements(const bpf::Object& object) {
  return std::ranges::any_of(object.programs, [](const bpf::Program& program) {
    return std::ranges::any_of(program.instructions, [](const bpf::Instruction& instruction) {
      const auto* const call = std::get_if<bpf::CallHelper>(&instruction);
      return call != nullptr && call->helper == static_cast<std::int32_t>(HelperId::kMapDeleteElem);
    });
  });
}

}  // namespace egpu::codegen
