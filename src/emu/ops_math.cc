// Floating-point division, roots and the approximated functions.
//
// PTX bounds the errors of .approx (2^-20.5 to 2^-23, tanh 2^-11) and leaves the results open. They
// are the host's here: the float nearest to the exact value, or the one next to it.
#include <cmath>

#include "emu/arithmetic/float.h"
#include "emu/directed_rounding.h"
#include "emu/emit.h"
#include "emu/lanewise.h"
#include "emu/ops_float.h"
#include "emu/select.h"
#include "emu/small_float_lanes.h"

namespace egpu::emu {
namespace {

// The handler of a function, its NaNs settled, with or without .ftz.
template <class T, bool kFlush, class F, class... Sources>
T apply(Sources... sources) {
  T result = kFlush ? F{}(flush(sources)...) : F{}(sources...);
  result = settle_nan(result, sources...);
  return kFlush ? flush(result) : result;
}
template <class T, class F>
Handler unary(F, bool flush) {
  return for_flags(
      []<bool kFlush>() { return lanewise<T(T)>([](T a) { return apply<T, kFlush, F>(a); }); },
      flush);
}
template <class T, class F>
Handler binary(F, bool flush) {
  return for_flags(
      []<bool kFlush>() {
        return lanewise<T(T, T)>([](T a, T b) { return apply<T, kFlush, F>(a, b); });
      },
      flush);
}

struct DivideExactly {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
struct ReciprocalExactly {
  template <class T>
  T operator()(T a) const {
    return T{1} / a;
  }
};
struct SquareRoot {
  template <class T>
  T operator()(T a) const {
    return std::sqrt(a);
  }
};

// Takes .ftz where it may stand.
bool take_flush(Modifiers& modifiers, ValueType type) {
  return type == kF32 && modifiers.take("ftz");
}

template <class F>
Result<void> translate_exact(Builder& builder, const ptx::Instruction& instruction, F function) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Rounding rounding = take_rounding(modifiers);
  const bool flush = take_flush(modifiers, type);
  const Handler handler =
      for_type<float, double>(type, [&]<class T>() { return unary<T>(function, flush); });
  return emit_lanewise(builder, instruction, modifiers, with_rounding(builder, handler, rounding),
                       type, {type});
}

// A function in single precision: f.approx.f32.
template <class F>
Result<void> translate_approximate(Builder& builder, const ptx::Instruction& instruction, F f) {
  Modifiers modifiers(instruction.opcode);
  modifiers.take("approx");
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const bool flush = take_flush(modifiers, type);
  const Handler handler = type == kF32 ? unary<float>(f, flush) : nullptr;
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type});
}

// The same, and in 16-bit formats. `bf16_flushes`: the opcode has .bf16 with .ftz alone.
template <class F>
Result<void> translate_approximate_16(Builder& builder, const ptx::Instruction& instruction, F f,
                                      bool bf16_flushes) {
  Modifiers modifiers(instruction.opcode);
  modifiers.take("approx");
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  if (!is_small_float(type)) return translate_approximate(builder, instruction, f);
  const bool pairs = type.elements == 2;
  Handler handler = nullptr;
  if (type.kind == TypeKind::kFloat)
    handler = pairs ? &small_float_handler<F16, 2, false, Finish::kNothing, 1, F>
                    : &small_float_handler<F16, 1, false, Finish::kNothing, 1, F>;
  else if (!bf16_flushes)
    handler = pairs ? &small_float_handler<BF16, 2, false, Finish::kNothing, 1, F>
                    : &small_float_handler<BF16, 1, false, Finish::kNothing, 1, F>;
  else if (modifiers.take("ftz"))
    handler = pairs ? &small_float_handler<BF16, 2, true, Finish::kNothing, 1, F>
                    : &small_float_handler<BF16, 1, true, Finish::kNothing, 1, F>;
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type});
}

// f.approx.ftz.f64: high halves alone.
template <class F>
Result<void> translate_high_half(Builder& builder, const ptx::Instruction& instruction, F) {
  Modifiers modifiers(instruction.opcode);
  modifiers.take("approx");
  modifiers.take("ftz");
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler = lanewise<double(double)>([](double a) {
    const double source = high_half(flush(a));
    return high_half(flush(settle_nan(F{}(source), source)));
  });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type});
}

Result<void> translate_rcp(Builder& builder, const ptx::Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  if (!opcode.has("approx")) return translate_exact(builder, instruction, ReciprocalExactly{});
  if (opcode.has("f64") && opcode.has("ftz"))
    return translate_high_half(builder, instruction, ReciprocalExactly{});
  return translate_approximate(builder, instruction, ReciprocalExactly{});
}

Result<void> translate_sqrt(Builder& builder, const ptx::Instruction& instruction) {
  if (instruction.opcode.has("approx"))
    return translate_approximate(builder, instruction, SquareRoot{});
  return translate_exact(builder, instruction, SquareRoot{});
}

Result<void> translate_rsqrt(Builder& builder, const ptx::Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  if (!opcode.has("f64"))
    return translate_approximate(builder, instruction, [](float a) { return reciprocal_root(a); });
  const auto root = [](double a) { return 1.0 / std::sqrt(a); };
  if (opcode.has("ftz")) return translate_high_half(builder, instruction, root);
  Modifiers modifiers(opcode);
  modifiers.take("approx");
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  return emit_lanewise(builder, instruction, modifiers, unary<double>(root, false), type, {type});
}

Result<void> translate_sin(Builder& builder, const ptx::Instruction& instruction) {
  return translate_approximate(builder, instruction, [](float a) { return std::sin(a); });
}
Result<void> translate_cos(Builder& builder, const ptx::Instruction& instruction) {
  return translate_approximate(builder, instruction, [](float a) { return std::cos(a); });
}
Result<void> translate_lg2(Builder& builder, const ptx::Instruction& instruction) {
  return translate_approximate(builder, instruction, [](float a) { return std::log2(a); });
}
Result<void> translate_ex2(Builder& builder, const ptx::Instruction& instruction) {
  return translate_approximate_16(builder, instruction, [](float a) { return std::exp2(a); }, true);
}
Result<void> translate_tanh(Builder& builder, const ptx::Instruction& instruction) {
  return translate_approximate_16(
      builder, instruction, [](float a) { return std::tanh(a); }, false);
}

constexpr Translation kTable[] = {
    {"rcp", translate_rcp}, {"sqrt", translate_sqrt}, {"rsqrt", translate_rsqrt},
    {"sin", translate_sin}, {"cos", translate_cos},   {"lg2", translate_lg2},
    {"ex2", translate_ex2}, {"tanh", translate_tanh},
};

}  // namespace

Result<void> translate_float_div(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const bool approximate = type == kF32 && modifiers.take("approx");
  if (type == kF32) modifiers.take("full");  // at most two units of error: none is fine too
  const Rounding rounding = take_rounding(modifiers);
  const bool flush = take_flush(modifiers, type);
  Handler handler = nullptr;
  if (approximate)
    handler = binary<float>([](float a, float b) { return divide_approximately(a, b); }, flush);
  else
    handler = for_type<float, double>(
        type, [flush]<class T>() { return binary<T>(DivideExactly{}, flush); });
  return emit_lanewise(builder, instruction, modifiers, with_rounding(builder, handler, rounding),
                       type, {type, type});
}

TranslationTable math_table() { return kTable; }

}  // namespace egpu::emu
