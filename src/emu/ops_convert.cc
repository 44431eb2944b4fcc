// cvt: a pipeline of steps, each from lanes of one type to lanes of the next.
//
// Few conversions need more than one step. Registers may be wider than the types (cvt alone allows
// that beside loads and stores): the source is then cut first, and the result extended last.

#include "emu/arithmetic/convert.h"
#include "emu/arithmetic/half.h"
#include "emu/directed_rounding.h"
#include "emu/emit.h"
#include "emu/lanewise.h"
#include "emu/narrow_lanes.h"
#include "emu/ops_convert_packed.h"
#include "emu/select.h"

namespace egpu::emu {
namespace {

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

// Lanes that hold a value of the type: 8-bit values live in 16 bits, extended.
template <class T>
using LaneOf = std::conditional_t<sizeof(T) == 1,
                                  std::conditional_t<std::is_signed_v<T>, int16_t, uint16_t>, T>;
unsigned lane_bits(unsigned bits) { return bits < 16 ? 16 : bits; }

template <class F>
Handler for_any_integer(ValueType type, F&& make) {
  return for_type<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(type,
                                                                                            make);
}
template <class F>
Handler for_unsigned_lanes(unsigned bits, F&& make) {
  return for_type<uint16_t, uint32_t, uint64_t>(
      {TypeKind::kUnsigned, static_cast<std::uint8_t>(bits)}, make);
}

// The low bits of a wider register as lanes of the integer type.
Handler cut_handler(unsigned register_bits, ValueType type) {
  return for_unsigned_lanes(register_bits, [&]<class Register>() {
    return for_any_integer(type, []<class T>() {
      return lanewise<LaneOf<T>(Register)>(
          [](Register a) { return static_cast<LaneOf<T>>(static_cast<T>(a)); });
    });
  });
}

// Lanes of the integer type, extended to a wider register.
Handler extend_handler(ValueType type, unsigned register_bits) {
  return for_unsigned_lanes(register_bits, [&]<class Register>() {
    return for_any_integer(type, []<class T>() {
      return lanewise<Register(LaneOf<T>)>([](LaneOf<T> a) { return static_cast<Register>(a); });
    });
  });
}

// A float's bits, as cut and extended with the rest zero.
ValueType as_bits(ValueType type) {
  return {TypeKind::kUnsigned, static_cast<std::uint8_t>(type.total_bits())};
}

class Pipeline {
 public:
  Pipeline(Builder& builder, Slot source) : builder_(builder), current_(source) {}

  // `bits`: of the lanes the step gives. The step before goes to a register of its own.
  void add(Op op, unsigned bits) {
    emit_pending_to_scratch();
    pending_ = op;
    pending_bits_ = bits;
  }
  void add(Handler handler, unsigned bits) { add(Op{.handler = handler}, bits); }

  // The last step's result goes to `dst`.
  void finish(Slot dst) {
    pending_.dst = dst;
    pending_.a = current_;
    builder_.emit(pending_);
  }
  // ... or to a register of its own.
  Slot finish() {
    emit_pending_to_scratch();
    return current_;
  }

 private:
  void emit_pending_to_scratch() {
    if (pending_.handler == nullptr) return;
    const Slot next = builder_.scratch(pending_bits_);
    finish(next);
    current_ = next;
    pending_ = {};
  }

  Builder& builder_;
  Slot current_;
  Op pending_;
  unsigned pending_bits_ = 0;
};

struct Conversion {
  ValueType to;
  ValueType from;
  Rounding rounding = Rounding::kNearestEven;
  bool rounds = false;             // .rn and the like: to a narrower float
  bool rounds_to_integer = false;  // .rni and the like
  bool flush = false;
  bool saturate = false;
  bool relu = false;
  bool finite = false;
};

// --- steps -------------------------------------------------------------------------------------

Handler integer_handler(ValueType from, ValueType to, bool saturate) {
  return for_any_integer(from, [&]<class From>() {
    using Source = LaneOf<From>;
    return for_any_integer(to, [&]<class To>() {
      return saturate ? lanewise<LaneOf<To>(Source)>(
                            [](Source a) { return LaneOf<To>{saturate_integer<To>(a)}; })
                      : lanewise<LaneOf<To>(Source)>(
                            [](Source a) { return LaneOf<To>{static_cast<To>(a)}; });
    });
  });
}

// Integers rounded in a way the host has no instruction for; Op::extra is a NarrowMode.
template <class From, class Result>
void run_integer_to_float(Warp& warp, const Op& op, Mask lanes) {
  const LaneSource<From> a(warp, op.a);
  const NarrowMode mode = *static_cast<const NarrowMode*>(op.extra);
  store_lanes<Result>(warp, op.dst, lanes, [&](unsigned i) {
    return static_cast<Result>(round_to(mode.format, exact_integer(a(i)), mode.rounding));
  });
}

void add_integer_to_float(Builder& builder, Pipeline& pipeline, const Conversion& conversion) {
  const ValueType from{conversion.from.kind,
                       static_cast<std::uint8_t>(lane_bits(conversion.from.bits))};
  if (conversion.saturate)
    pipeline.add(for_integer(from,
                             []<class From>() {
                               return lanewise<From(From)>(
                                   [](From a) { return static_cast<From>(a <= 0 ? 0 : 1); });
                             }),
                 from.bits);

  const ValueType to = conversion.to;
  const bool exact_in_double = to == kF64 && from.bits <= 32;
  if ((to == kF32 || to == kF64) &&
      (exact_in_double || conversion.rounding == Rounding::kNearestEven)) {
    pipeline.add(for_integer(from,
                             [&]<class From>() {
                               return to == kF32 ? lanewise<float(From)>(
                                                       [](From a) { return static_cast<float>(a); })
                                                 : lanewise<double(From)>([](From a) {
                                                     return static_cast<double>(a);
                                                   });
                             }),
                 to.bits);
    return;
  }
  const FloatFormat format = to == kF64    ? kFormatF64
                             : to == kF32  ? kFormatF32
                             : to == kBf16 ? kFormatBf16
                                           : kFormatF16;
  const Handler handler = for_integer(from, [&]<class From>() {
    return for_unsigned_lanes(
        to.bits, []<class Result>() -> Handler { return &run_integer_to_float<From, Result>; });
  });
  pipeline.add(
      {.handler = handler,
       .extra = builder.keep(NarrowMode{.format = format, .rounding = conversion.rounding})},
      to.bits);
}

template <class T>
Handler integral_handler(Rounding rounding) {
  const auto make = []<Rounding kRounding>() {
    return lanewise<T(T)>([](T a) { return settle_nan(round_to_integral<kRounding>(a), a); });
  };
  switch (rounding) {
    case Rounding::kZero:
      return make.template operator()<Rounding::kZero>();
    case Rounding::kDown:
      return make.template operator()<Rounding::kDown>();
    case Rounding::kUp:
      return make.template operator()<Rounding::kUp>();
    default:
      return make.template operator()<Rounding::kNearestEven>();
  }
}

Handler flush_handler() {
  return lanewise<float(float)>([](float a) { return flush(a); });
}

// A GPU widens .bf16 by a shift, and leaves one NaN alone of .f16.
void run_widen_half(Warp& warp, const Op& op, Mask lanes) {
  alignas(64) float wide[kLanes];
  F16::widen<kLanes>(lanes_of<uint16_t>(warp, op.a), wide);
  store_lanes<float>(warp, op.dst, lanes, [&](unsigned i) { return settle_nan(wide[i], wide[i]); });
}

Handler widen_handler(ValueType from) {
  if (from == kF16) return &run_widen_half;
  return lanewise<float(uint16_t)>([](uint16_t a) { return BF16::widen(a); });
}

// The type that `from` is worked on in: .f32 for 16-bit formats.
ValueType add_widening(Pipeline& pipeline, const Conversion& conversion) {
  if (is_small_float(conversion.from)) {
    pipeline.add(widen_handler(conversion.from), 32);
    return kF32;
  }
  if (conversion.flush && conversion.from == kF32) pipeline.add(flush_handler(), 32);
  return conversion.from;
}

void add_rounding_to_integer(Pipeline& pipeline, ValueType type, Rounding rounding) {
  pipeline.add(
      type == kF32 ? integral_handler<float>(rounding) : integral_handler<double>(rounding),
      type.bits);
}

void add_float_to_integer(Pipeline& pipeline, const Conversion& conversion) {
  const ValueType type = add_widening(pipeline, conversion);
  if (conversion.rounding != Rounding::kZero)
    add_rounding_to_integer(pipeline, type, conversion.rounding);
  pipeline.add(for_type<float, double>(type,
                                       [&]<class Source>() {
                                         return for_any_integer(conversion.to, []<class To>() {
                                           return lanewise<LaneOf<To>(Source)>([](Source a) {
                                             return LaneOf<To>{to_integer<To, Source>(double{a})};
                                           });
                                         });
                                       }),
               lane_bits(conversion.to.bits));
}

template <class T>
Handler saturate_handler() {
  return lanewise<T(T)>([](T a) { return saturate(a); });
}
template <class T>
Handler settle_handler() {
  return lanewise<T(T)>([](T a) { return settle_nan(a, a); });
}

void add_float_to_float(Builder& builder, Pipeline& pipeline, const Conversion& conversion) {
  ValueType type = add_widening(pipeline, conversion);
  if (conversion.rounds_to_integer) add_rounding_to_integer(pipeline, type, conversion.rounding);
  const ValueType to = conversion.to;
  if (to == kF64 && type == kF32) {
    pipeline.add(lanewise<double(float)>([](float a) { return double{a}; }), 64);
    type = kF64;
  }
  if (to == kF32 && type == kF64) {
    // A NaN stays itself, made quiet, in the host's conversion as on a GPU.
    const Handler narrow =
        conversion.flush
            ? lanewise<float(double)>([](double a) { return flush(static_cast<float>(a)); })
            : lanewise<float(double)>([](double a) { return static_cast<float>(a); });
    pipeline.add(with_rounding(builder, narrow, conversion.rounding), 32);
    type = kF32;
  }
  if (is_small_float(to) && type == kF64) {
    pipeline.add(lanewise<float(double)>([](double a) { return narrow_to_odd(a); }), 32);
    type = kF32;
  }
  if (conversion.saturate)
    pipeline.add(type == kF32 ? saturate_handler<float>() : saturate_handler<double>(), type.bits);
  if (is_small_float(to)) {
    const Rounding rounding =
        conversion.rounds_to_integer ? Rounding::kNearestEven : conversion.rounding;
    pipeline.add(narrow_op(builder, {.format = to == kBf16 ? kFormatBf16 : kFormatF16,
                                     .rounding = rounding,
                                     .finite = conversion.finite,
                                     .relu = conversion.relu,
                                     .keeps_nan = conversion.from == kF64}),
                 16);
  } else if (conversion.from == to && !conversion.rounds_to_integer) {
    pipeline.add(to == kF32 ? settle_handler<float>() : settle_handler<double>(), to.bits);
  }
}

// --- from the instruction -----------------------------------------------------------------------

// What is wrong with the combination; empty: nothing.
std::string_view objection(const Conversion& conversion) {
  const ValueType to = conversion.to;
  const ValueType from = conversion.from;
  const bool known = (is_integer(to) || is_float(to)) && (is_integer(from) || is_float(from)) &&
                     to.elements == 1 && from.elements == 1;
  if (!known) return "does not exist for these types";
  if (is_float(from) && is_integer(to) && !conversion.rounds_to_integer)
    return "needs .rni, .rzi, .rmi or .rpi";
  if (is_integer(from) && is_float(to) && !conversion.rounds) return "needs .rn, .rz, .rm or .rp";
  if (is_float(from) && is_float(to)) {
    const bool narrows = to.bits < from.bits || (to.bits == 16 && from.bits == 16 && to != from);
    if (narrows && !conversion.rounds) return "needs .rn, .rz, .rm or .rp";
    if (!narrows && conversion.rounds) return "does not round to a type that is as wide";
    if (conversion.rounds_to_integer && to != from)
      return "rounds to integral values of the same type alone";
  }
  if (is_integer(from) && is_integer(to) && (conversion.rounds || conversion.rounds_to_integer))
    return "does not round between integers";
  if ((conversion.relu || conversion.finite) && !(is_small_float(to) && is_float(from)))
    return "has .relu and .satfinite for 16-bit floats alone";
  if (conversion.flush && from != kF32 && to != kF32) return "has .ftz with .f32 alone";
  return {};
}

Result<Conversion> take_conversion(Builder& builder, Modifiers& modifiers) {
  Conversion conversion;
  const std::string_view integral = modifiers.take_one_of({"rni", "rzi", "rmi", "rpi"});
  const std::string_view rounding = modifiers.take_one_of({"rn", "rz", "rm", "rp"});
  conversion.rounds_to_integer = !integral.empty();
  conversion.rounds = !rounding.empty();
  const std::string_view name = integral.empty() ? rounding : integral;
  if (name.starts_with("rz")) conversion.rounding = Rounding::kZero;
  if (name.starts_with("rm")) conversion.rounding = Rounding::kDown;
  if (name.starts_with("rp")) conversion.rounding = Rounding::kUp;
  conversion.flush = modifiers.take("ftz");
  conversion.saturate = modifiers.take("sat");
  conversion.relu = modifiers.take("relu");
  conversion.finite = modifiers.take("satfinite");
  EGPU_ASSIGN(conversion.to, need_type(builder, modifiers));
  EGPU_ASSIGN(conversion.from, need_type(builder, modifiers));
  EGPU_TRY(builder.finish(modifiers));
  return conversion;
}

Result<void> translate_plain(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const Conversion conversion, take_conversion(builder, modifiers));
  EGPU_TRY(builder.operands(instruction, 2, 2));
  const std::string_view wrong = objection(conversion);
  if (!wrong.empty()) return builder.error(std::string(wrong));

  const ptx::Operand& source = instruction.operands[1];
  const ptx::Operand& result = instruction.operands[0];
  const ValueType from = conversion.from;
  const ValueType to = conversion.to;
  EGPU_ASSIGN(const Slot a, builder.read(source, from, true));
  EGPU_ASSIGN(const Slot dst, builder.write(result, to, true));
  Pipeline pipeline(builder, a);

  const unsigned source_bits = builder.width_of(source).value_or(lane_bits(from.bits));
  if (source_bits > from.bits)
    pipeline.add(cut_handler(source_bits, is_float(from) ? as_bits(from) : from),
                 lane_bits(from.bits));
  if (is_integer(from) && is_integer(to))
    pipeline.add(integer_handler(from, to, conversion.saturate), lane_bits(to.bits));
  else if (is_integer(from))
    add_integer_to_float(builder, pipeline, conversion);
  else if (is_integer(to))
    add_float_to_integer(pipeline, conversion);
  else
    add_float_to_float(builder, pipeline, conversion);
  const unsigned result_bits = builder.width_of(result).value_or(lane_bits(to.bits));
  if (result_bits > lane_bits(to.bits))
    pipeline.add(extend_handler(is_float(to) ? as_bits(to) : to, result_bits), result_bits);
  pipeline.finish(dst);
  return {};
}

Result<void> translate_cvt(Builder& builder, const ptx::Instruction& instruction) {
  if (is_packed_conversion(instruction.opcode))
    return translate_packed_conversion(builder, instruction);
  return translate_plain(builder, instruction);
}

constexpr Translation kTable[] = {{"cvt", translate_cvt}};

}  // namespace

TranslationTable convert_table() { return kTable; }

}  // namespace egpu::emu
