// Integer arithmetic: add, sub, mul, mad, their carrying and 24-bit forms, and the rest of the
// family. Floating-point types of the same opcodes are emu/ops_float.cc's.
#include "emu/arithmetic/integer.h"
#include "emu/emit.h"
#include "emu/lanewise.h"
#include "emu/ops_float.h"
#include "emu/select.h"

namespace egpu::emu {
namespace {

using std::int16_t;
using std::int32_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

// Carrying forms: the flag is a predicate of the function's own, in Op::immediate.
template <class T, class F, bool kReads, bool kWrites>
void run_carrying(Warp& warp, const Op& op, Mask lanes) {
  const LaneSource<T> a(warp, op.a);
  const LaneSource<T> b(warp, op.b);
  const LaneSource<T> c(warp, op.c);
  Mask& flag = predicate_of(warp, static_cast<Slot>(op.immediate));
  const Mask before = kReads ? flag : 0;
  const auto result = [=](unsigned i) { return F{}(a(i), b(i), c(i), (before >> i & 1) != 0); };
  // Two loops, each of which is a vector loop; the flag first, for the destination may be a source.
  if (kWrites) {
    Mask carries = 0;
    for (unsigned i = 0; i < kLanes; ++i) carries |= result(i).carry ? Mask{1} << i : 0;
    flag = (flag & ~lanes) | (carries & lanes);
  }
  store_lanes<T>(warp, op.dst, lanes, [=](unsigned i) { return result(i).value; });
}

template <class T, class F>
Handler carrying(F, bool reads, bool writes) {
  return for_flags(
      []<bool kReads, bool kWrites>() -> Handler { return &run_carrying<T, F, kReads, kWrites>; },
      reads, writes);
}

// Signed and unsigned carry alike, but for the high half of a product.
template <class F>
Handler carrying_sum(ValueType type, bool reads, bool writes, F) {
  return for_type<uint32_t, uint64_t>({TypeKind::kUnsigned, type.bits}, [&]<class T>() {
    return carrying<T>([](T a, T b, T, bool carry) { return F{}(a, b, carry); }, reads, writes);
  });
}

Result<void> emit_carrying(Builder& builder, const ptx::Instruction& instruction,
                           const Modifiers& modifiers, Handler handler, ValueType type,
                           std::size_t sources) {
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 1 + sources, 1 + sources));
  if (handler == nullptr || !is_integer(type)) return builder.error("does not exist for this type");
  Op op{.handler = handler, .immediate = builder.carry()};
  EGPU_ASSIGN(op.a, builder.read(instruction.operands[1], type));
  EGPU_ASSIGN(op.b, builder.read(instruction.operands[2], type));
  op.c = op.a;
  if (sources == 3) {
    EGPU_ASSIGN(op.c, builder.read(instruction.operands[3], type));
  }
  EGPU_ASSIGN(op.dst, builder.write(instruction.operands[0], type));
  builder.emit(op);
  return {};
}

Result<void> translate_add_carrying(Builder& builder, const ptx::Instruction& instruction,
                                    bool subtract) {
  Modifiers modifiers(instruction.opcode);
  const bool reads = instruction.opcode.base().ends_with('c');
  const bool writes = modifiers.take("cc");
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  Handler handler = nullptr;
  if (!subtract)
    handler = carrying_sum(type, reads, writes,
                           [](auto a, auto b, bool carry) { return add_with_carry(a, b, carry); });
  else if (reads)
    handler = carrying_sum(type, reads, writes, [](auto a, auto b, bool carry) {
      return subtract_with_carry(a, b, carry);
    });
  else
    handler = carrying_sum(type, reads, writes,
                           [](auto a, auto b, bool) { return subtract_with_carry(a, b, true); });
  return emit_carrying(builder, instruction, modifiers, handler, type, 2);
}

Handler pairs_of_16(ValueType type, auto f) {
  if (type == kU16x2) return lanewise_pairs<uint16_t(uint16_t, uint16_t)>(f);
  if (type == kS16x2) return lanewise_pairs<int16_t(int16_t, int16_t)>(f);
  return nullptr;
}

Result<void> translate_add(Builder& builder, const ptx::Instruction& instruction) {
  if (instruction.opcode.base() == "addc" || instruction.opcode.has("cc"))
    return translate_add_carrying(builder, instruction, false);
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  if (is_float(type)) return translate_float_add(builder, instruction);
  Handler handler = nullptr;
  if (type == kS32 && modifiers.take("sat"))
    handler = lanewise<int32_t(int32_t, int32_t)>(
        [](int32_t a, int32_t b) { return add_saturated(a, b); });
  else if (type.elements == 2)
    handler = pairs_of_16(type, [](auto a, auto b) { return add(a, b); });
  else
    handler = for_integer(
        type, []<class T>() { return lanewise<T(T, T)>([](T a, T b) { return add(a, b); }); });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, type});
}

Result<void> translate_sub(Builder& builder, const ptx::Instruction& instruction) {
  if (instruction.opcode.base() == "subc" || instruction.opcode.has("cc"))
    return translate_add_carrying(builder, instruction, true);
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  if (is_float(type)) return translate_float_sub(builder, instruction);
  Handler handler = nullptr;
  if (type == kS32 && modifiers.take("sat"))
    handler = lanewise<int32_t(int32_t, int32_t)>(
        [](int32_t a, int32_t b) { return subtract_saturated(a, b); });
  else if (type.elements == 1)
    handler = for_integer(
        type, []<class T>() { return lanewise<T(T, T)>([](T a, T b) { return subtract(a, b); }); });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, type});
}

// The type of a .wide result.
ValueType twice_as_wide(ValueType type) {
  type.bits *= 2;
  return type;
}

Result<void> translate_mul(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  if (is_float(type)) return translate_float_mul(builder, instruction);
  const std::string_view part = modifiers.take_one_of({"lo", "hi", "wide"});
  Handler handler = nullptr;
  if (part == "lo")
    handler = for_integer(type, []<class T>() {
      return lanewise<T(T, T)>([](T a, T b) { return multiply_low(a, b); });
    });
  if (part == "hi")
    handler = for_integer(type, []<class T>() {
      return lanewise<T(T, T)>([](T a, T b) { return multiply_high(a, b); });
    });
  if (part != "wide")
    return emit_lanewise(builder, instruction, modifiers, handler, type, {type, type});
  handler = for_type<uint16_t, int16_t, uint32_t, int32_t>(type, []<class T>() {
    return lanewise<DoubleWidth<T>(T, T)>([](T a, T b) { return multiply_wide(a, b); });
  });
  return emit_lanewise(builder, instruction, modifiers, handler, twice_as_wide(type), {type, type});
}

Handler multiply_add_handler(ValueType type, std::string_view part, bool saturate) {
  if (saturate) {
    if (part != "hi" || type != kS32) return nullptr;
    return lanewise<int32_t(int32_t, int32_t, int32_t)>(
        [](int32_t a, int32_t b, int32_t c) { return add_saturated(multiply_high(a, b), c); });
  }
  if (part == "lo")
    return for_integer(type, []<class T>() {
      return lanewise<T(T, T, T)>([](T a, T b, T c) { return add(multiply_low(a, b), c); });
    });
  if (part == "hi")
    return for_integer(type, []<class T>() {
      return lanewise<T(T, T, T)>([](T a, T b, T c) { return add(multiply_high(a, b), c); });
    });
  if (part == "wide")
    return for_type<uint16_t, int16_t, uint32_t, int32_t>(type, []<class T>() {
      using W = DoubleWidth<T>;
      return lanewise<W(T, T, W)>([](T a, T b, W c) { return add(multiply_wide(a, b), c); });
    });
  return nullptr;
}

Handler multiply_add_carrying_handler(ValueType type, std::string_view part, bool reads,
                                      bool writes) {
  if (part == "lo")
    return for_type<uint32_t, uint64_t>({TypeKind::kUnsigned, type.bits}, [&]<class T>() {
      return carrying<T>(
          [](T a, T b, T c, bool carry) { return add_with_carry(multiply_low(a, b), c, carry); },
          reads, writes);
    });
  if (part != "hi") return nullptr;
  return for_type<uint32_t, int32_t, uint64_t, std::int64_t>(type, [&]<class T>() {
    using Bits = UnsignedOf<T>;
    return carrying<Bits>(
        [](Bits a, Bits b, Bits c, bool carry) {
          const auto high = multiply_high(static_cast<T>(a), static_cast<T>(b));
          return add_with_carry(static_cast<Bits>(high), c, carry);
        },
        reads, writes);
  });
}

Result<void> translate_mad(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const bool reads = instruction.opcode.base() == "madc";
  const bool writes = modifiers.take("cc");
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  if (is_float(type)) return translate_float_fma(builder, instruction);
  const std::string_view part = modifiers.take_one_of({"lo", "hi", "wide"});
  if (reads || writes) {
    const Handler handler = multiply_add_carrying_handler(type, part, reads, writes);
    return emit_carrying(builder, instruction, modifiers, handler, type, 3);
  }
  const ValueType sum = part == "wide" ? twice_as_wide(type) : type;
  const Handler handler = multiply_add_handler(type, part, modifiers.take("sat"));
  return emit_lanewise(builder, instruction, modifiers, handler, sum, {type, type, sum});
}

Result<void> translate_mul24(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const std::string_view part = modifiers.take_one_of({"lo", "hi"});
  if (part.empty()) return builder.error("needs .lo or .hi");
  const Handler handler = for_type<uint32_t, int32_t>(type, [high = part == "hi"]<class T>() {
    return high ? lanewise<T(T, T)>([](T a, T b) { return multiply_24_high(a, b); })
                : lanewise<T(T, T)>([](T a, T b) { return multiply_24_low(a, b); });
  });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, type});
}

Result<void> translate_mad24(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const std::string_view part = modifiers.take_one_of({"lo", "hi"});
  if (part.empty()) return builder.error("needs .lo or .hi");
  Handler handler = for_type<uint32_t, int32_t>(type, [high = part == "hi"]<class T>() {
    return high ? lanewise<T(T, T, T)>([](T a, T b, T c) { return add(multiply_24_high(a, b), c); })
                : lanewise<T(T, T, T)>([](T a, T b, T c) { return add(multiply_24_low(a, b), c); });
  });
  if (part == "hi" && type == kS32 && modifiers.take("sat"))
    handler = lanewise<int32_t(int32_t, int32_t, int32_t)>(
        [](int32_t a, int32_t b, int32_t c) { return add_saturated(multiply_24_high(a, b), c); });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, type, type});
}

Result<void> translate_sad(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler = for_integer(type, []<class T>() {
    return lanewise<T(T, T, T)>([](T a, T b, T c) { return sum_of_absolute_difference(a, b, c); });
  });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, type, type});
}

Result<void> translate_div(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  if (is_float(type)) return translate_float_div(builder, instruction);
  const Handler handler = for_integer(
      type, []<class T>() { return lanewise<T(T, T)>([](T a, T b) { return divide(a, b); }); });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, type});
}

Result<void> translate_rem(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler = for_integer(
      type, []<class T>() { return lanewise<T(T, T)>([](T a, T b) { return remainder(a, b); }); });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, type});
}

Result<void> translate_abs(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  if (is_float(type)) return translate_float_abs(builder, instruction);
  const Handler handler = for_type<int16_t, int32_t, std::int64_t>(
      type, []<class T>() { return lanewise<T(T)>([](T a) { return absolute_value(a); }); });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type});
}

Result<void> translate_neg(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  if (is_float(type)) return translate_float_neg(builder, instruction);
  const Handler handler = for_type<int16_t, int32_t, std::int64_t>(
      type, []<class T>() { return lanewise<T(T)>([](T a) { return subtract(T{0}, a); }); });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type});
}

// .relu: a result below zero becomes zero.
template <bool kGreatest, bool kRelu, class T>
constexpr T integer_extreme(T a, T b) {
  const T chosen = (kGreatest ? a > b : a < b) ? a : b;
  return kRelu && chosen < 0 ? T{0} : chosen;
}

template <bool kGreatest>
Result<void> translate_extreme(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  if (is_float(type)) return translate_float_extreme(builder, instruction, kGreatest);
  const bool relu = (type == kS32 || type == kS16x2) && modifiers.take("relu");
  const auto f = [](auto a, auto b) { return integer_extreme<kGreatest, false>(a, b); };
  const auto with_relu = [](auto a, auto b) { return integer_extreme<kGreatest, true>(a, b); };
  Handler handler = nullptr;
  if (type.elements == 2)
    handler = relu ? pairs_of_16(type, with_relu) : pairs_of_16(type, f);
  else if (relu)
    handler = lanewise<int32_t(int32_t, int32_t)>(with_relu);
  else
    handler = for_integer(type, [&]<class T>() { return lanewise<T(T, T)>(f); });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, type});
}

// dp4a.u32.s32: types of a and of b. The sum is signed where either is, which changes no bit.
Result<void> translate_dot_product(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const bool four = instruction.opcode.base() == "dp4a";
  const std::string_view half = four ? "" : modifiers.take_one_of({"lo", "hi"});
  EGPU_ASSIGN(const ValueType a, need_type(builder, modifiers));
  EGPU_ASSIGN(const ValueType b, need_type(builder, modifiers));
  if (!is_integer(a) || !is_integer(b) || a.total_bits() != 32 || b.total_bits() != 32 ||
      a.elements != 1 || b.elements != 1)
    return builder.error("takes .u32 and .s32 alone");
  if (!four && half.empty()) return builder.error("needs .lo or .hi");
  const bool a_signed = a == kS32;
  const bool b_signed = b == kS32;
  using Sources = uint32_t(uint32_t, uint32_t, uint32_t);
  const Handler handler =
      four ? for_flags(
                 []<bool kA, bool kB>() {
                   using A = std::conditional_t<kA, std::int8_t, std::uint8_t>;
                   using B = std::conditional_t<kB, std::int8_t, std::uint8_t>;
                   return lanewise<Sources>([](uint32_t x, uint32_t y, uint32_t z) {
                     return dot_product_4<A, B>(x, y, z);
                   });
                 },
                 a_signed, b_signed)
           : for_flags(
                 []<bool kA, bool kB, bool kHigh>() {
                   using A = std::conditional_t<kA, int16_t, uint16_t>;
                   using B = std::conditional_t<kB, std::int8_t, std::uint8_t>;
                   return lanewise<Sources>([](uint32_t x, uint32_t y, uint32_t z) {
                     return dot_product_2<A, B, kHigh>(x, y, z);
                   });
                 },
                 a_signed, b_signed, half == "hi");
  const ValueType sum = a_signed || b_signed ? kS32 : kU32;
  return emit_lanewise(builder, instruction, modifiers, handler, sum, {kB32, kB32, sum});
}

constexpr Translation kTable[] = {
    {"add", translate_add},
    {"addc", translate_add},
    {"sub", translate_sub},
    {"subc", translate_sub},
    {"mul", translate_mul},
    {"mad", translate_mad},
    {"madc", translate_mad},
    {"mul24", translate_mul24},
    {"mad24", translate_mad24},
    {"sad", translate_sad},
    {"div", translate_div},
    {"rem", translate_rem},
    {"abs", translate_abs},
    {"neg", translate_neg},
    {"min", translate_extreme<false>},
    {"max", translate_extreme<true>},
    {"dp4a", translate_dot_product},
    {"dp2a", translate_dot_product},
};

}  // namespace

TranslationTable integer_table() { return kTable; }

}  // namespace egpu::emu
