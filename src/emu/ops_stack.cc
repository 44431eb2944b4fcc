// alloca: local memory that lasts as long as the call.
#include <algorithm>

#include "emu/calls.h"
#include "emu/emit.h"
#include "emu/select.h"

namespace egpu::emu {
namespace {

constexpr std::uint64_t kLeastAlignment = 16;
constexpr std::uint64_t kMostAlignment = 1 << 16;

Result<std::uint64_t> alignment_of(const Builder& builder, const ptx::Instruction& instruction) {
  if (instruction.operands.size() < 3) return kLeastAlignment;
  const auto* const integer = std::get_if<ptx::Integer>(&instruction.operands[2]);
  const auto value = integer != nullptr ? ptx::integer_value(*integer) : std::nullopt;
  if (!value || *value == 0 || (*value & (*value - 1)) != 0 || *value > kMostAlignment)
    return builder.error("the alignment is no power of two that can be");
  return std::max(*value, kLeastAlignment);
}

Result<void> translate_alloca(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  if (!modifiers.take("u64")) return builder.error("has no type .u64");
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 2, 3));
  EGPU_ASSIGN(const std::uint64_t alignment, alignment_of(builder, instruction));
  EGPU_ASSIGN(const Slot result, builder.write(instruction.operands[0], kU64));
  EGPU_ASSIGN(const Slot size, builder.read(instruction.operands[1], kU64));
  builder.emit({.handler = allocate_local,
                .dst = result,
                .a = size,
                .immediate = static_cast<std::int64_t>(alignment)});
  return {};
}

constexpr Translation kTable[] = {{"alloca", translate_alloca}};

}  // namespace

TranslationTable stack_table() { return kTable; }

}  // namespace egpu::emu
