#include "verifier/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bpf/subprogram.h"
#include "verifier/stack.h"

namespace egpu::verifier {
namespace {

constexpr std::uint32_t kFrameUnit = 8;

}  // namespace

Recorder::Recorder(const bpf::Object& object, const bpf::Program& program,
                   const CheckLimits& limits)
    : object_(object), program_(program), limits_(limits) {
  checked_.program = &program;
  checked_.facts.resize(program.instructions.size());
  checked_.frame_bytes.resize(std::max<std::size_t>(program.functions.size(), 1));
  checked_.map_uses.resize(object.maps.size());
  has_map_.resize(program.instructions.size());
  has_callback_.resize(program.instructions.size());
}

Error Recorder::refuse(std::size_t index, std::string why) const {
  return input_error(std::move(why)).at(program_.place(index));
}

Result<void> Recorder::record_access(std::size_t index, Region region, std::int32_t offset) {
  InstructionFacts& facts = checked_.facts[index];
  const bool first = facts.region == Region::kNone;
  const bool same = facts.region == region && facts.offset == offset;
  if (first || same) {
    facts.region = region;
    facts.offset = offset;
    return {};
  }
  if (facts.region == Region::kContext || region == Region::kContext) {
    return refuse(index, facts.region == region
                             ? fmt::format("the instruction reads the context at offset {} on one "
                                           "path and {} on another",
                                           facts.offset, offset)
                             : "the instruction reads the context on one path and other memory on "
                               "another")
        .hint("read each field with an instruction of its own, on the branch where it was chosen");
  }
  facts.region = Region::kGeneric;
  facts.offset = 0;
  return {};
}

Result<void> Recorder::record_call_map(std::size_t index, std::uint32_t map) {
  InstructionFacts& facts = checked_.facts[index];
  if (has_map_[index] && facts.map != map) {
    return refuse(index, "the call gets different maps on different paths")
        .hint("call the helper on each branch, and mark functions that get maps __always_inline");
  }
  has_map_[index] = true;
  facts.map = map;
  return {};
}

Result<void> Recorder::record_ending(std::size_t index, std::uint32_t map, std::uint32_t bytes) {
  std::uint32_t& known = checked_.facts[index].record_bytes;
  known = !has_map_[index] || known == bytes ? bytes : 0;
  return record_call_map(index, map);
}

Result<void> Recorder::record_callback(std::size_t index, std::uint32_t first) {
  InstructionFacts& facts = checked_.facts[index];
  if (has_callback_[index] && facts.callback != first) {
    return refuse(index, "the call gets different callbacks on different paths")
        .hint("call the helper on each branch");
  }
  has_callback_[index] = true;
  facts.callback = first;
  return {};
}

void Recorder::use_stack(std::uint32_t function, int offset) {
  const auto bytes =
      (static_cast<std::uint32_t>(-offset) + kFrameUnit - 1) / kFrameUnit * kFrameUnit;
  checked_.frame_bytes[function] = std::max(checked_.frame_bytes[function], bytes);
}

void Recorder::record_call(std::uint32_t caller, std::uint32_t callee, std::size_t call_site) {
  calls_.try_emplace({caller, callee}, call_site);
}

std::string Recorder::describe(const Value& value) const {
  switch (value.kind) {
    case ValueKind::kUninitialised:
      return "not initialised";
    case ValueKind::kScalar:
      return fmt::format("a number ({})", to_string(value.number));
    case ValueKind::kContext:
      return "a pointer to the context";
    case ValueKind::kStack:
      return "a pointer to the stack";
    case ValueKind::kMap:
      return fmt::format("map {}", map(value.target).name);
    case ValueKind::kMapValue:
      return fmt::format("a pointer to a value of map {}", map(value.target).name);
    case ValueKind::kMapKey:
      return fmt::format("a pointer to a key of map {}", map(value.target).name);
    case ValueKind::kRecord:
      return fmt::format("a pointer to a record of map {}", map(value.target).name);
    case ValueKind::kRecordOrNull:
      return fmt::format("a pointer to a record of map {} or null", map(value.target).name);
    case ValueKind::kEndedRecord:
      return fmt::format("a record of map {} that was submitted or discarded before",
                         map(value.target).name);
    case ValueKind::kReadOnly:
      return fmt::format("a pointer into {}", object_.read_only[value.target].name);
    case ValueKind::kFunction:
      return "a function";
    case ValueKind::kMapValueOrNull:
      return fmt::format("a pointer to a value of map {} or null", map(value.target).name);
  }
  return "unknown";
}

// Follows the calls of `function`, which is called with `above` bytes of stack in use. There may be
// very many chains; one that comes with no more in use than another did at this depth tells
// nothing.
Result<void> Recorder::measure_stack(std::uint32_t function, std::uint32_t above,
                                     std::uint32_t depth) {
  const auto [seen, first] = above_.try_emplace({function, depth}, above);
  if (!first && above <= seen->second) return {};
  seen->second = above;
  const std::uint32_t used = above + checked_.frame_bytes[function];
  checked_.stack_bytes = std::max(checked_.stack_bytes, used);
  for (auto call = calls_.lower_bound({function, 0});
       call != calls_.end() && call->first.first == function; ++call) {
    const std::uint32_t callee = call->first.second;
    if (depth == bpf::kMaxCallDepth) {
      return refuse(call->second,
                    fmt::format("calls are nested deeper than {} frames", bpf::kMaxCallDepth))
          .hint("a function cannot call itself, directly or through others");
    }
    if (used + checked_.frame_bytes[callee] > kStackBytes) {
      return refuse(call->second,
                    fmt::format("this chain of calls needs {} bytes of stack, and there are {}",
                                used + checked_.frame_bytes[callee], kStackBytes))
          .hint("keep large variables in a map, or call from a function that has fewer of them");
    }
    EGPU_TRY(measure_stack(callee, used, depth + 1));
  }
  return {};
}

Result<CheckedProgram> Recorder::take(std::uint64_t max_instructions) && {
  EGPU_TRY(measure_stack(0, 0, 1));
  checked_.max_instructions = max_instructions;
  return std::move(checked_);
}

}  // namespace egpu::verifier
