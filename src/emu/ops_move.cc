// mov: registers, literals, addresses, and parts of registers: mov.b64 %rd1, {%r1, %r2}.
#include <fmt/format.h>

#include <array>

#include "emu/lanes.h"
#include "emu/select.h"

namespace egpu::emu {
namespace {

constexpr std::size_t kMostParts = 4;

void move_predicate(Warp& warp, const Op& op, Mask lanes) {
  Mask& out = predicate_of(warp, op.dst);
  out = (out & ~lanes) | (predicate_of(warp, op.a) & lanes);
}

template <class T>
void move(Warp& warp, const Op& op, Mask lanes) {
  const T* const in = lanes_of<T>(warp, op.a);
  set_lanes<T>(warp, op.dst, lanes, [in](unsigned i) { return in[i]; });
}

struct Wide {
  std::uint64_t halves[2];
};

Handler move_handler(unsigned bits) {
  switch (bits) {
    case 1:
      return move_predicate;
    case 8:
    case 16:
      return move<std::uint16_t>;
    case 32:
      return move<std::uint32_t>;
    case 64:
      return move<std::uint64_t>;
    default:
      return move<Wide>;
  }
}

using Parts = std::array<Slot, kMostParts>;

// Part: as it lies in the whole. Kept: as it lies in a register of its own.
template <class Part, class Kept>
void join_parts(Warp& warp, const Op& op, Mask lanes) {
  const auto count = static_cast<unsigned>(op.immediate);
  const Parts& parts = *static_cast<const Parts*>(op.extra);
  Part* const out = lanes_of<Part>(warp, op.dst);
  for (unsigned part = 0; part < count; ++part) {
    const Kept* const in = lanes_of<Kept>(warp, parts[part]);
    for_each_lane(lanes, [=](unsigned i) { out[i * count + part] = static_cast<Part>(in[i]); });
  }
}

template <class Part, class Kept>
void split_parts(Warp& warp, const Op& op, Mask lanes) {
  const auto count = static_cast<unsigned>(op.immediate);
  const Parts& parts = *static_cast<const Parts*>(op.extra);
  const Part* const in = lanes_of<Part>(warp, op.a);
  for (unsigned part = 0; part < count; ++part) {
    Kept* const out = lanes_of<Kept>(warp, parts[part]);
    for_each_lane(lanes, [=](unsigned i) { out[i] = in[i * count + part]; });
  }
}

struct PartHandlers {
  Handler join;
  Handler split;
};

std::optional<PartHandlers> part_handlers(unsigned bits) {
  switch (bits) {
    case 8:
      return PartHandlers{join_parts<std::uint8_t, std::uint16_t>,
                          split_parts<std::uint8_t, std::uint16_t>};
    case 16:
      return PartHandlers{join_parts<std::uint16_t, std::uint16_t>,
                          split_parts<std::uint16_t, std::uint16_t>};
    case 32:
      return PartHandlers{join_parts<std::uint32_t, std::uint32_t>,
                          split_parts<std::uint32_t, std::uint32_t>};
    case 64:
      return PartHandlers{join_parts<std::uint64_t, std::uint64_t>,
                          split_parts<std::uint64_t, std::uint64_t>};
    default:
      return std::nullopt;
  }
}

Result<void> translate_parts(Builder& builder, const ptx::Instruction& instruction,
                             ValueType type) {
  const auto* const joined = std::get_if<ptx::Vector>(&instruction.operands[1]);
  const auto* const split = std::get_if<ptx::Vector>(&instruction.operands[0]);
  if (joined != nullptr && split != nullptr) return builder.error("takes braces on one side");
  const auto& elements = (joined != nullptr ? joined : split)->elements;
  const std::size_t count = elements.size();
  if (type.kind != TypeKind::kBits || (count != 2 && count != kMostParts))
    return builder.error("moves 2 or 4 parts of a .b type");
  const ValueType part{TypeKind::kBits, static_cast<std::uint8_t>(type.bits / count)};
  const auto handlers = part_handlers(part.bits);
  if (!handlers) return builder.error("parts of this size are not known");
  Parts parts{};
  for (std::size_t i = 0; i < count; ++i) {
    EGPU_ASSIGN(parts[i], joined != nullptr ? builder.read(elements[i], part)
                                            : builder.write(elements[i], part));
  }
  Op op{.immediate = static_cast<std::int64_t>(count), .extra = builder.keep(parts)};
  if (joined != nullptr) {
    op.handler = handlers->join;
    EGPU_ASSIGN(op.dst, builder.write(instruction.operands[0], type));
  } else {
    op.handler = handlers->split;
    EGPU_ASSIGN(op.a, builder.read(instruction.operands[1], type));
  }
  builder.emit(op);
  return {};
}

Result<void> translate_move(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const auto type = modifiers.take_type();
  if (!type) return builder.error("needs a type");
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 2, 2));
  for (const ptx::Operand& operand : instruction.operands)
    if (std::holds_alternative<ptx::Vector>(operand))
      return translate_parts(builder, instruction, *type);
  EGPU_ASSIGN(const Slot from, builder.read(instruction.operands[1], *type));
  EGPU_ASSIGN(const Slot to, builder.write(instruction.operands[0], *type));
  builder.emit({.handler = move_handler(type->total_bits()), .dst = to, .a = from});
  return {};
}

constexpr Translation kTable[] = {{"mov", translate_move}};

}  // namespace

TranslationTable move_table() { return kTable; }

}  // namespace egpu::emu
