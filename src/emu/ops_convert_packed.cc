#include "emu/ops_convert_packed.h"

#include <vector>

#include "emu/arithmetic/convert.h"
#include "emu/arithmetic/half.h"
#include "emu/directed_rounding.h"
#include "emu/emit.h"
#include "emu/lanewise.h"
#include "emu/narrow_lanes.h"

namespace egpu::emu {
namespace {

using std::int16_t;
using std::int32_t;
using std::int8_t;
using std::uint16_t;
using std::uint32_t;
using std::uint8_t;

struct NarrowName {
  std::string_view name;
  FloatFormat format;
};
constexpr NarrowName kPairs[] = {
    {"f16x2", kFormatF16},
    {"bf16x2", kFormatBf16},
    {"e4m3x2", kFormatE4m3},
    {"e5m2x2", kFormatE5m2},
};

// The format of pairs the instruction converts to, by its first type.
const NarrowName* pairs_of(std::string_view name) {
  for (const NarrowName& row : kPairs)
    if (row.name == name) return &row;
  return nullptr;
}

Handler join_handler(unsigned element_bits) {
  if (element_bits == 8)
    return lanewise<uint16_t(uint16_t, uint16_t)>(
        [](uint16_t high, uint16_t low) { return static_cast<uint16_t>(high << 8 | low); });
  return lanewise<uint32_t(uint16_t, uint16_t)>(
      [](uint16_t high, uint16_t low) { return uint32_t{high} << 16 | low; });
}

// An element of a pair of f16, or of 8-bit floats, in single precision.
template <unsigned kElement>
Handler widen_half_of_pair() {
  return lanewise<float(uint32_t)>(
      [](uint32_t a) { return F16::widen(static_cast<uint16_t>(a >> 16 * kElement)); });
}
template <const FloatFormat& kFormat, unsigned kElement>
Handler widen_byte_of_pair() {
  return lanewise<float(uint16_t)>(
      [](uint16_t a) { return static_cast<float>(decode(kFormat, a >> 8 * kElement & 0xff)); });
}

// d = {a, b} narrowed, a in the high half; or the two halves of one f16x2.
Result<void> translate_to_pair(Builder& builder, const ptx::Instruction& instruction,
                               const NarrowName& to) {
  Modifiers modifiers(instruction.opcode);
  modifiers.take(to.name);
  NarrowMode mode{.format = to.format, .rounding = take_rounding(modifiers)};
  mode.relu = modifiers.take("relu");
  mode.finite = modifiers.take("satfinite");
  EGPU_ASSIGN(const ValueType from, need_type(builder, modifiers));
  EGPU_TRY(builder.finish(modifiers));
  const bool bytes = to.format.bits() == 8;
  if (bytes && !mode.finite) return builder.error("needs .satfinite");

  Slot high = kNoSlot;
  Slot low = kNoSlot;
  if (from == kF32) {
    EGPU_TRY(builder.operands(instruction, 3, 3));
    EGPU_ASSIGN(high, builder.read(instruction.operands[1], kF32));
    EGPU_ASSIGN(low, builder.read(instruction.operands[2], kF32));
  } else if (from == kF16x2 && bytes) {
    EGPU_TRY(builder.operands(instruction, 2, 2));
    EGPU_ASSIGN(const Slot pair, builder.read(instruction.operands[1], kF16x2));
    high = emit_to_scratch(builder, widen_half_of_pair<1>(), 32, pair);
    low = emit_to_scratch(builder, widen_half_of_pair<0>(), 32, pair);
  } else {
    return builder.error("does not exist for these types");
  }
  EGPU_ASSIGN(const Slot dst, builder.write(instruction.operands[0], bytes ? kB16 : kB32));
  Slot narrowed[2];
  for (unsigned i = 0; i < 2; ++i) {
    Op op = narrow_op(builder, mode);
    op.dst = narrowed[i] = builder.scratch(16);
    op.a = i == 0 ? high : low;
    builder.emit(op);
  }
  builder.emit(
      {.handler = join_handler(bytes ? 8 : 16), .dst = dst, .a = narrowed[0], .b = narrowed[1]});
  return {};
}

// f16x2 from a pair of 8-bit floats, all of which .f16 holds.
template <const FloatFormat& kFormat>
Result<void> translate_from_byte_pair(Builder& builder, const ptx::Instruction& instruction,
                                      std::string_view name) {
  Modifiers modifiers(instruction.opcode);
  modifiers.take(name);
  modifiers.take("f16x2");
  modifiers.take("rn");
  const NarrowMode mode{.format = kFormatF16, .relu = modifiers.take("relu")};
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 2, 2));
  EGPU_ASSIGN(const Slot pair, builder.read(instruction.operands[1], kB16));
  EGPU_ASSIGN(const Slot dst, builder.write(instruction.operands[0], kB32));
  Slot widened[2] = {emit_to_scratch(builder, widen_byte_of_pair<kFormat, 0>(), 32, pair),
                     emit_to_scratch(builder, widen_byte_of_pair<kFormat, 1>(), 32, pair)};
  for (Slot& slot : widened) {
    Op op = narrow_op(builder, mode);
    op.a = slot;
    op.dst = slot = builder.scratch(16);
    builder.emit(op);
  }
  builder.emit({.handler = join_handler(16), .dst = dst, .a = widened[1], .b = widened[0]});
  return {};
}

// To the 19 bits that tensor cores take of a single-precision number, in their places.
Result<void> translate_to_tf32(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  modifiers.take("tf32");
  const bool away = modifiers.take("rna");
  NarrowMode mode{.format = kFormatTf32,
                  .rounding = away ? Rounding::kNearestAway : take_rounding(modifiers),
                  .keeps_nan = away};  // as an H200 does
  mode.relu = modifiers.take("relu");
  mode.finite = modifiers.take("satfinite");
  EGPU_ASSIGN(const ValueType from, need_type(builder, modifiers));
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 2, 2));
  if (from != kF32) return builder.error("takes .f32 alone");
  EGPU_ASSIGN(const Slot a, builder.read(instruction.operands[1], kF32));
  Op op = narrow_to_tf32_op(builder, mode);
  op.a = a;
  EGPU_ASSIGN(op.dst, builder.write(instruction.operands[0], kB32));
  builder.emit(op);
  return {};
}

// cvt.pack: two integers clamped and joined, a in the higher part: to 16 bits each, or to 8 bits
// with the low half of c above them.
template <class To, bool kJoinsC>
Handler pack_handler() {
  using Bits = std::make_unsigned_t<To>;
  constexpr unsigned kBits = sizeof(To) * 8;
  const auto join = [](int32_t a, int32_t b) {
    return uint32_t{static_cast<Bits>(saturate_integer<To>(a))} << kBits |
           static_cast<Bits>(saturate_integer<To>(b));
  };
  if constexpr (kJoinsC)
    return lanewise<uint32_t(int32_t, int32_t, uint32_t)>(
        [](int32_t a, int32_t b, uint32_t c) { return c << 2 * kBits | decltype(join){}(a, b); });
  else
    return lanewise<uint32_t(int32_t, int32_t)>(join);
}

Result<void> translate_pack(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  modifiers.take("pack");
  if (!modifiers.take("sat")) return builder.error("needs .sat");
  EGPU_ASSIGN(const ValueType to, need_type(builder, modifiers));
  EGPU_ASSIGN(const ValueType from, need_type(builder, modifiers));
  if (from != kS32) return builder.error("takes .s32 alone");
  if (to == kU16 || to == kS16)
    return emit_lanewise(
        builder, instruction, modifiers,
        to == kU16 ? pack_handler<uint16_t, false>() : pack_handler<int16_t, false>(), kB32,
        {kS32, kS32});
  if (to != PtxType<uint8_t>::kType && to != PtxType<int8_t>::kType)
    return builder.error("does not exist for this type");
  if (!modifiers.take("b32")) return builder.error("needs .b32");
  return emit_lanewise(
      builder, instruction, modifiers,
      to.kind == TypeKind::kUnsigned ? pack_handler<uint8_t, true>() : pack_handler<int8_t, true>(),
      kB32, {kS32, kS32, kB32});
}

// Names of pairs among the opcode's types, in order.
std::vector<std::string_view> pairs_in(const ptx::Opcode& opcode) {
  std::vector<std::string_view> pairs;
  for (const std::string_view modifier : opcode.modifiers())
    if (pairs_of(modifier) != nullptr) pairs.push_back(modifier);
  return pairs;
}

}  // namespace

bool is_packed_conversion(const ptx::Opcode& opcode) {
  return opcode.has("pack") || opcode.has("tf32") || !pairs_in(opcode).empty();
}

Result<void> translate_packed_conversion(Builder& builder, const ptx::Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  if (opcode.has("pack")) return translate_pack(builder, instruction);
  if (opcode.has("tf32")) return translate_to_tf32(builder, instruction);
  const auto pairs = pairs_in(opcode);
  const bool to_halves = pairs.size() == 2 && pairs[0] == "f16x2";
  if (to_halves && pairs[1] == "e4m3x2")
    return translate_from_byte_pair<kFormatE4m3>(builder, instruction, pairs[1]);
  if (to_halves && pairs[1] == "e5m2x2")
    return translate_from_byte_pair<kFormatE5m2>(builder, instruction, pairs[1]);
  return translate_to_pair(builder, instruction, *pairs_of(pairs[0]));
}

}  // namespace egpu::emu
