// mov: registers, literals, addresses, and parts of registers: mov.b64 %rd1, {%r1, %r2}.
#include <array>

#include "emu/lanewise.h"
#include "emu/select.h"
#include "emu/type_dispatch.h"

namespace egpu::emu {
namespace {

using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

template <class T>
Handler move() {
  return lanewise<T(T)>([](T a) { return a; });
}

Handler move_handler(unsigned bits) {
  switch (bits) {
    case 1:
      return move<bool>();
    case 8:
    case 16:
      return move<uint16_t>();
    case 32:
      return move<uint32_t>();
    case 64:
      return move<uint64_t>();
    default:
      return move<Wide>();
  }
}

constexpr std::size_t kMostParts = 4;
using Parts = std::array<Slot, kMostParts>;

// Whole: the joined register. Part: as it lies there; a part of 8 bits has a register of 16.
template <class Part>
using Kept = std::conditional_t<sizeof(Part) == 1, uint16_t, Part>;

template <class Whole, class Part>
constexpr Whole placed(Kept<Part> value, unsigned index) {
  return static_cast<Whole>(Whole{static_cast<Part>(value)} << index * sizeof(Part) * 8);
}
template <class Whole, class Part>
constexpr Part part_of(Whole whole, unsigned index) {
  return static_cast<Part>(whole >> index * sizeof(Part) * 8);
}
// 128 bits have no shifts.
template <>
constexpr Wide placed<Wide, uint64_t>(uint64_t value, unsigned index) {
  return index == 0 ? Wide{value, 0} : Wide{0, value};
}
template <>
constexpr Wide placed<Wide, uint32_t>(uint32_t value, unsigned index) {
  const uint64_t shifted = uint64_t{value} << index % 2 * 32;
  return placed<Wide, uint64_t>(shifted, index / 2);
}
template <>
constexpr uint64_t part_of<Wide, uint64_t>(Wide whole, unsigned index) {
  return index == 0 ? whole.low : whole.high;
}
template <>
constexpr uint32_t part_of<Wide, uint32_t>(Wide whole, unsigned index) {
  return static_cast<uint32_t>(part_of<Wide, uint64_t>(whole, index / 2) >> index % 2 * 32);
}
constexpr Wide operator|(Wide a, Wide b) { return {a.low | b.low, a.high | b.high}; }

template <class Whole, class Part>
Handler join_handler() {
  using K = Kept<Part>;
  if constexpr (sizeof(Whole) == 2 * sizeof(Part))
    return lanewise<Whole(K, K)>([](K a, K b) {
      return static_cast<Whole>(placed<Whole, Part>(a, 0) | placed<Whole, Part>(b, 1));
    });
  else
    return lanewise<Whole(K, K, K, K)>([](K a, K b, K c, K d) {
      return static_cast<Whole>(placed<Whole, Part>(a, 0) | placed<Whole, Part>(b, 1) |
                                placed<Whole, Part>(c, 2) | placed<Whole, Part>(d, 3));
    });
}

// Op::extra: Parts.
template <class Whole, class Part>
void run_split(Warp& warp, const Op& op, Mask lanes) {
  constexpr unsigned kCount = sizeof(Whole) / sizeof(Part);
  const Parts& parts = *static_cast<const Parts*>(op.extra);
  const Whole* const in = lanes_of<Whole>(warp, op.a);
  for (unsigned part = 0; part < kCount; ++part)
    store_lanes<Kept<Part>>(warp, parts[part], lanes, [in, part](unsigned i) {
      return Kept<Part>{part_of<Whole, Part>(in[i], part)};
    });
}

struct PartHandlers {
  Handler join = nullptr;
  Handler split = nullptr;
};
template <class Whole, class Part>
PartHandlers handlers_of() {
  return {join_handler<Whole, Part>(), &run_split<Whole, Part>};
}

PartHandlers part_handlers(unsigned bits, std::size_t count) {
  if (count == 2) {
    if (bits == 16) return handlers_of<uint16_t, uint8_t>();
    if (bits == 32) return handlers_of<uint32_t, uint16_t>();
    if (bits == 64) return handlers_of<uint64_t, uint32_t>();
    if (bits == 128) return handlers_of<Wide, uint64_t>();
  }
  if (count == 4) {
    if (bits == 32) return handlers_of<uint32_t, uint8_t>();
    if (bits == 64) return handlers_of<uint64_t, uint16_t>();
    if (bits == 128) return handlers_of<Wide, uint32_t>();
  }
  return {};
}

Result<void> translate_parts(Builder& builder, const ptx::Instruction& instruction,
                             ValueType type) {
  const auto* const joined = std::get_if<ptx::Vector>(&instruction.operands[1]);
  const auto* const split = std::get_if<ptx::Vector>(&instruction.operands[0]);
  if (joined != nullptr && split != nullptr) return builder.error("takes braces on one side");
  const auto& elements = (joined != nullptr ? joined : split)->elements;
  const PartHandlers handlers = part_handlers(type.bits, elements.size());
  if (type.kind != TypeKind::kBits || handlers.join == nullptr)
    return builder.error("moves 2 or 4 parts of a .b type");
  const ValueType part{TypeKind::kBits, static_cast<std::uint8_t>(type.bits / elements.size())};
  Parts parts{kNoSlot, kNoSlot, kNoSlot, kNoSlot};
  for (std::size_t i = 0; i < elements.size(); ++i) {
    EGPU_ASSIGN(parts[i], joined != nullptr ? builder.read(elements[i], part)
                                            : builder.write(elements[i], part));
  }
  if (joined != nullptr) {
    EGPU_ASSIGN(const Slot dst, builder.write(instruction.operands[0], type));
    builder.emit({.handler = handlers.join,
                  .dst = dst,
                  .a = parts[0],
                  .b = parts[1],
                  .c = parts[2],
                  .immediate = parts[3]});
    return {};
  }
  EGPU_ASSIGN(const Slot a, builder.read(instruction.operands[1], type));
  builder.emit({.handler = handlers.split, .a = a, .extra = builder.keep(parts)});
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
