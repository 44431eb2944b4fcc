#include "codegen/map_calls.h"

#include <cerrno>

#include "abi/map_layout.h"

namespace egpu::codegen {
namespace {

using verifier::HelperId;

// Of an ARRAY, in bytes, that is kept in several hundred shards. Threads that add to a larger one
// meet at fewer of its places anyway.
constexpr std::uint64_t kLargestSums = std::uint64_t{16} << 10;

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

void choose_sums(bpf::Object& object, const std::vector<verifier::CheckedProgram>& programs) {
  const verifier::MapUses uses = verifier::uses_of(programs);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    bpf::MapDefinition& map = object.maps[i];
    const bool small = abi::array_bytes(map.value_size, map.max_entries) <= kLargestSums;
    if (map.type == bpf::MapType::kArray && small && !uses[i].loads && !uses[i].changes)
      map.sum_bytes = uses[i].added_bytes;
  }
}

}  // namespace egpu::codegen
