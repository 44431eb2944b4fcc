#include "verifier/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace egpu::verifier {
namespace {

constexpr const char* kSamePlaceHint =
    "access each place with an instruction of its own, on the branch where it was chosen";

}  // namespace

Recorder::Recorder(const bpf::Object& object, const bpf::Program& program)
    : object_(object), program_(program) {
  checked_.program = &program;
  checked_.facts.resize(program.instructions.size());
  called_.resize(program.instructions.size());
}

Error Recorder::refuse(std::size_t index, std::string why) const {
  return input_error(std::move(why)).at(program_.place(index));
}

Result<void> Recorder::record_access(std::size_t index, Region region, std::int32_t offset,
                                     std::uint32_t map) {
  InstructionFacts& facts = checked_.facts[index];
  const bool first = facts.region == Region::kNone;
  if (!first && facts.region != region) {
    return refuse(index, "the instruction accesses different kinds of memory on different paths")
        .hint(kSamePlaceHint);
  }
  if (!first && facts.map != map) {
    return refuse(index, "the instruction accesses different maps on different paths")
        .hint(kSamePlaceHint);
  }
  if (!first && facts.offset != offset) {
    return refuse(index,
                  fmt::format("the instruction accesses offset {} on one path and {} on another",
                              facts.offset, offset))
        .hint(region == Region::kStack
                  ? "an index into an array on the stack must be a constant: keep "
                    "the array in a map, or unroll the loop"
                  : kSamePlaceHint);
  }
  facts.region = region;
  facts.offset = offset;
  facts.map = map;
  return {};
}

Result<void> Recorder::record_call_map(std::size_t index, std::uint32_t map) {
  InstructionFacts& facts = checked_.facts[index];
  if (called_[index] && facts.map != map) {
    return refuse(index, "the call gets different maps on different paths")
        .hint("call the helper on each branch");
  }
  called_[index] = true;
  facts.map = map;
  return {};
}

void Recorder::use_stack(int offset) {
  const auto bytes = static_cast<std::uint32_t>((-offset + 7) / 8 * 8);
  checked_.stack_bytes = std::max(checked_.stack_bytes, bytes);
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
      return fmt::format("map {}", map(value.map).name);
    case ValueKind::kMapValue:
      return fmt::format("a pointer to a value of map {}", map(value.map).name);
    case ValueKind::kMapValueOrNull:
      return fmt::format("a pointer to a value of map {} or null", map(value.map).name);
  }
  return "unknown";
}

CheckedProgram Recorder::take(std::uint64_t max_instructions) && {
  checked_.frame_bytes = {checked_.stack_bytes};
  checked_.max_instructions = max_instructions;
  return std::move(checked_);
}

}  // namespace egpu::verifier
