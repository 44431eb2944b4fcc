// Floating-point add, sub, mul, fma, abs, neg, min, max, copysign and testp. Each operation is
// written once, as a struct with a template for every format.
#include "emu/ops_float.h"

#include <cmath>

#include "emu/arithmetic/float.h"
#include "emu/directed_rounding.h"
#include "emu/emit.h"
#include "emu/lanewise.h"
#include "emu/select.h"
#include "emu/small_float_lanes.h"

namespace egpu::emu {
namespace {

// For float and double the operation itself, rounded to the nearest; for 16-bit formats, whose
// values come widened, a float that narrows to the result.
struct Add {
  template <class Format, class T>
  static T of(T a, T b) {
    if constexpr (std::is_same_v<Format, T>)
      return a + b;
    else
      return Format::add(a, b);
  }
};
struct Subtract {
  template <class Format, class T>
  static T of(T a, T b) {
    if constexpr (std::is_same_v<Format, T>)
      return a - b;
    else
      return Format::add(a, -b);
  }
};
struct Multiply {
  template <class Format, class T>
  static T of(T a, T b) {
    if constexpr (std::is_same_v<Format, T>)
      return a * b;
    else
      return Format::multiply(a, b);
  }
  static double exact(float a, float b) { return double{a} * double{b}; }
};
struct MultiplyAdd {
  template <class Format, class T>
  static T of(T a, T b, T c) {
    if constexpr (std::is_same_v<Format, T>)
      return std::fma(a, b, c);
    else
      return Format::multiply_add(a, b, c);
  }
  static double exact(float a, float b, float c) {
    return add_to_odd(double{a} * double{b}, double{c});
  }
};
struct Negate {
  template <class Format, class T>
  static T of(T a) {
    return negated(a);
  }
};
struct Absolute {
  template <class Format, class T>
  static T of(T a) {
    return absolute(a);
  }
};
template <ExtremeMode kMode>
struct Extreme {
  template <class Format, class T>
  static T of(T a, T b) {
    return extreme<kMode>(a, b);
  }
};
// Of three sources, or (.abs) of their magnitudes.
template <ExtremeMode kMode, bool kAbsolute>
struct ExtremeOf3 {
  template <class Format, class T>
  static T of(T a, T b, T c) {
    if (kAbsolute) return of_numbers(absolute(a), absolute(b), absolute(c));
    return of_numbers(a, b, c);
  }
  template <class T>
  static T of_numbers(T a, T b, T c) {
    return extreme<kMode>(extreme<kMode>(a, b), c);
  }
};

// Results of .ftz: a GPU flushes what is less than a normal number before it rounds, so that
// nothing is rounded up to the least of them.
template <class Operation, class... Sources>
float operate_flushed(Sources... sources) {
  const float result = Operation::template of<float>(sources...);
  if constexpr (requires { Operation::exact(sources...); })
    return std::abs(Operation::exact(sources...)) < 0x1p-126 ? result * 0.0F : result;
  else
    return flush(result);
}

// With more than one NaN, fma gives that of c before that of b (H200).
template <class T>
T settle_sources(T result, T a, T b, T c) {
  return settle_nan(result, a, c, b);
}
template <class T, class... Sources>
T settle_sources(T result, Sources... sources) {
  return settle_nan(result, sources...);
}

template <class Operation, bool kFlush, bool kSaturate, class T, class... Sources>
T operate(Sources... sources) {
  T result;
  if constexpr (kFlush)
    result = operate_flushed<Operation>(flush(sources)...);
  else
    result = Operation::template of<T>(sources...);
  result = settle_sources(result, sources...);
  return kSaturate ? saturate(result) : result;
}

// The handler for float or double.
template <class Operation, unsigned kArity, bool kFlush, bool kSaturate, class T,
          unsigned kElements = 1>
Handler host_handler() {
  if constexpr (kArity == 1)
    return &Lanewise<T(T),
                     decltype([](T a) { return operate<Operation, kFlush, kSaturate, T>(a); }),
                     kElements>::run;
  else if constexpr (kArity == 2)
    return &Lanewise<T(T, T), decltype([](T a, T b) {
                       return operate<Operation, kFlush, kSaturate, T>(a, b);
                     }),
                     kElements>::run;
  else
    return &Lanewise<T(T, T, T), decltype([](T a, T b, T c) {
                       return operate<Operation, kFlush, kSaturate, T>(a, b, c);
                     }),
                     kElements>::run;
}

// For a 16-bit format, or a pair of them.
template <class Operation, unsigned kArity, class Format, bool kFlush, Finish kFinish>
Handler small_handler(bool pairs) {
  using F =
      decltype([](auto... sources) { return Operation::template of<Format, float>(sources...); });
  return pairs ? &small_float_handler<Format, 2, kFlush, kFinish, kArity, F>
               : &small_float_handler<Format, 1, kFlush, kFinish, kArity, F>;
}

struct Options {
  bool flush = false;
  bool saturate = false;
  bool relu = false;
};

// What each operation has besides its plain form.
enum : unsigned { kNone = 0, kHasSaturate = 1, kHasRelu = 2 };

// Null where the operation does not exist for the type with these options.
template <class Operation, unsigned kArity, unsigned kHas = kNone>
Handler float_handler(ValueType type, Options options) {
  if (options.saturate && options.relu) return nullptr;
  const bool pairs = type.elements == 2;
  if (type == kF64)
    return options.flush || options.saturate || options.relu
               ? nullptr
               : host_handler<Operation, kArity, false, false, double>();
  if (type == kF32 || type == kF32x2) {
    if (options.relu || (options.saturate && (pairs || (kHas & kHasSaturate) == 0))) return nullptr;
    if (pairs)
      return options.flush ? host_handler<Operation, kArity, true, false, float, 2>()
                           : host_handler<Operation, kArity, false, false, float, 2>();
    return for_flags(
        []<bool kFlush, bool kSaturate>() {
          return host_handler<Operation, kArity, kFlush, kSaturate && (kHas & kHasSaturate) != 0,
                              float>();
        },
        options.flush, options.saturate);
  }
  if (!is_small_float(type)) return nullptr;
  if (type.kind == TypeKind::kBrainFloat) {
    if (options.flush || options.saturate) return nullptr;
    if (!options.relu)
      return small_handler<Operation, kArity, BF16, false, Finish::kNothing>(pairs);
    if constexpr ((kHas & kHasRelu) != 0)
      return small_handler<Operation, kArity, BF16, false, Finish::kRelu>(pairs);
    return nullptr;
  }
  if (options.saturate) {
    if constexpr ((kHas & kHasSaturate) != 0)
      return options.flush ? small_handler<Operation, kArity, F16, true, Finish::kSaturate>(pairs)
                           : small_handler<Operation, kArity, F16, false, Finish::kSaturate>(pairs);
    return nullptr;
  }
  if (options.relu) {
    if constexpr ((kHas & kHasRelu) != 0)
      return options.flush ? small_handler<Operation, kArity, F16, true, Finish::kRelu>(pairs)
                           : small_handler<Operation, kArity, F16, false, Finish::kRelu>(pairs);
    return nullptr;
  }
  return options.flush ? small_handler<Operation, kArity, F16, true, Finish::kNothing>(pairs)
                       : small_handler<Operation, kArity, F16, false, Finish::kNothing>(pairs);
}

Options take_options(Modifiers& modifiers) {
  return {.flush = modifiers.take("ftz"),
          .saturate = modifiers.take("sat"),
          .relu = modifiers.take("relu")};
}

// A 16-bit source of an operation in single precision (add.f32.bf16), widened.
Result<Slot> read_widened(Builder& builder, const ptx::Operand& operand, ValueType type) {
  EGPU_ASSIGN(const Slot narrow, builder.read(operand, type));
  const Handler widen =
      type == kBf16 ? lanewise<float(std::uint16_t)>([](std::uint16_t a) { return BF16::widen(a); })
                    : lanewise<float(std::uint16_t)>([](std::uint16_t a) { return F16::widen(a); });
  return emit_to_scratch(builder, widen, 32, narrow);
}

// add.f32.f16, fma.f32.bf16: all sources but the last are of the 16-bit type.
Result<void> emit_mixed(Builder& builder, const ptx::Instruction& instruction,
                        const Modifiers& modifiers, Op op, ValueType narrow, std::size_t sources) {
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 1 + sources, 1 + sources));
  if (op.handler == nullptr || (narrow != kF16 && narrow != kBf16))
    return builder.error("does not exist for this type");
  EGPU_ASSIGN(op.a, read_widened(builder, instruction.operands[1], narrow));
  Slot* const last = sources == 3 ? &op.c : &op.b;
  if (sources == 3) {
    EGPU_ASSIGN(op.b, read_widened(builder, instruction.operands[2], narrow));
  }
  EGPU_ASSIGN(*last, builder.read(instruction.operands[sources], kF32));
  EGPU_ASSIGN(op.dst, builder.write(instruction.operands[0], kF32));
  builder.emit(op);
  return {};
}

template <class Operation, unsigned kArity, unsigned kHas>
Result<void> translate_rounded(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const Rounding rounding = take_rounding(modifiers);
  const Options options = take_options(modifiers);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  if (is_small_float(type) && rounding != Rounding::kNearestEven)
    return builder.error("rounds to the nearest alone in 16 bits");
  const Handler handler = float_handler<Operation, kArity, kHas>(type, options);
  const Op op = with_rounding(builder, handler, rounding);
  if (const auto narrow = type == kF32 ? modifiers.take_type() : std::nullopt)
    return emit_mixed(builder, instruction, modifiers, op, *narrow, kArity);
  if constexpr (kArity == 2)
    return emit_lanewise(builder, instruction, modifiers, op, type, {type, type});
  else
    return emit_lanewise(builder, instruction, modifiers, op, type, {type, type, type});
}

template <class Operation>
Result<void> translate_sign(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const Options options{.flush = modifiers.take("ftz")};
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler = type == kF32x2 ? nullptr : float_handler<Operation, 1>(type, options);
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type});
}

Result<void> translate_copysign(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler = for_type<float, double>(
      type, []<class T>() { return lanewise<T(T, T)>([](T a, T b) { return copy_sign(a, b); }); });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, type});
}

template <FloatClass kClass>
Handler test_handler(ValueType type) {
  return for_type<float, double>(
      type, []<class T>() { return lanewise<bool(T)>([](T a) { return belongs_to<kClass>(a); }); });
}

Result<void> translate_testp(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const std::string_view name =
      modifiers.take_one_of({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  if (name.empty()) return builder.error("needs a class of numbers to test for");
  const Handler handler = name == "finite"       ? test_handler<FloatClass::kFinite>(type)
                          : name == "infinite"   ? test_handler<FloatClass::kInfinite>(type)
                          : name == "number"     ? test_handler<FloatClass::kNumber>(type)
                          : name == "notanumber" ? test_handler<FloatClass::kNotANumber>(type)
                          : name == "normal"     ? test_handler<FloatClass::kNormal>(type)
                                                 : test_handler<FloatClass::kSubnormal>(type);
  return emit_lanewise(builder, instruction, modifiers, handler, kPred, {type});
}

constexpr Translation kTable[] = {
    {"fma", translate_float_fma},
    {"copysign", translate_copysign},
    {"testp", translate_testp},
};

}  // namespace

Result<void> translate_float_add(Builder& builder, const ptx::Instruction& instruction) {
  return translate_rounded<Add, 2, kHasSaturate>(builder, instruction);
}
Result<void> translate_float_sub(Builder& builder, const ptx::Instruction& instruction) {
  return translate_rounded<Subtract, 2, kHasSaturate>(builder, instruction);
}
Result<void> translate_float_mul(Builder& builder, const ptx::Instruction& instruction) {
  return translate_rounded<Multiply, 2, kHasSaturate>(builder, instruction);
}
Result<void> translate_float_fma(Builder& builder, const ptx::Instruction& instruction) {
  return translate_rounded<MultiplyAdd, 3, kHasSaturate | kHasRelu>(builder, instruction);
}
Result<void> translate_float_abs(Builder& builder, const ptx::Instruction& instruction) {
  return translate_sign<Absolute>(builder, instruction);
}
Result<void> translate_float_neg(Builder& builder, const ptx::Instruction& instruction) {
  return translate_sign<Negate>(builder, instruction);
}

Result<void> translate_float_extreme(Builder& builder, const ptx::Instruction& instruction,
                                     bool greatest) {
  Modifiers modifiers(instruction.opcode);
  const Options options{.flush = modifiers.take("ftz")};
  const bool nan = modifiers.take("NaN");
  const bool xor_sign = modifiers.take("xorsign");
  const bool magnitudes = modifiers.take("abs");
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  if (type == kF64 && (nan || xor_sign || magnitudes))
    return builder.error("has no such form for .f64");
  if (type == kF32 && instruction.operands.size() == 4 && !xor_sign) {
    const Handler handler = for_flags(
        []<bool kGreatest, bool kNan, bool kAbsolute, bool kFlush>() {
          using Operation = ExtremeOf3<ExtremeMode{kGreatest, kNan, false}, kAbsolute>;
          return host_handler<Operation, 3, kFlush, false, float>();
        },
        greatest, nan, magnitudes, options.flush);
    return emit_lanewise(builder, instruction, modifiers, handler, type, {type, type, type});
  }
  if (xor_sign != magnitudes) return builder.error("needs .xorsign.abs, or neither");
  const Handler handler =
      type == kF32x2 ? nullptr
                     : for_flags(
                           [&]<bool kGreatest, bool kNan, bool kXorSign>() {
                             using Operation = Extreme<ExtremeMode{kGreatest, kNan, kXorSign}>;
                             return float_handler<Operation, 2>(type, options);
                           },
                           greatest, nan, xor_sign);
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, type});
}

TranslationTable float_table() { return kTable; }

}  // namespace egpu::emu
