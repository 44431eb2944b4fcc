// Comparisons and selection: setp, set, selp, slct.
#include <optional>

#include "emu/arithmetic/compare.h"
#include "emu/arithmetic/half.h"
#include "emu/emit.h"
#include "emu/lanewise.h"
#include "emu/select.h"

namespace egpu::emu {
namespace {

struct ComparisonName {
  std::string_view name;
  Comparison comparison;
};
constexpr ComparisonName kComparisons[] = {
    {"eq", Comparison::kEqual},   {"ne", Comparison::kNotEqual},
    {"lt", Comparison::kLess},    {"le", Comparison::kLessOrEqual},
    {"gt", Comparison::kGreater}, {"ge", Comparison::kGreaterOrEqual},
};
constexpr ComparisonName kUnsignedComparisons[] = {
    {"lo", Comparison::kLess},
    {"ls", Comparison::kLessOrEqual},
    {"hi", Comparison::kGreater},
    {"hs", Comparison::kGreaterOrEqual},
};
constexpr ComparisonName kUnorderedComparisons[] = {
    {"equ", Comparison::kEqualOrUnordered},   {"neu", Comparison::kNotEqualOrUnordered},
    {"ltu", Comparison::kLessOrUnordered},    {"leu", Comparison::kLessOrEqualOrUnordered},
    {"gtu", Comparison::kGreaterOrUnordered}, {"geu", Comparison::kGreaterOrEqualOrUnordered},
    {"num", Comparison::kBothNumbers},        {"nan", Comparison::kAnyNan},
};

template <std::size_t kCount>
std::optional<Comparison> take_from(const ComparisonName (&names)[kCount], Modifiers& modifiers) {
  for (const ComparisonName& row : names)
    if (modifiers.take(row.name)) return row.comparison;
  return std::nullopt;
}

// The comparison, of those that exist for the type.
std::optional<Comparison> take_comparison(Modifiers& modifiers, ValueType type) {
  auto found = take_from(kComparisons, modifiers);
  if (!found && type.kind == TypeKind::kUnsigned)
    found = take_from(kUnsignedComparisons, modifiers);
  if (!found && is_float(type)) found = take_from(kUnorderedComparisons, modifiers);
  // Bits are equal or not.
  if (type.kind == TypeKind::kBits && found && *found != Comparison::kEqual &&
      *found != Comparison::kNotEqual)
    return std::nullopt;
  return found;
}

template <class T, bool kFlush, Comparison kComparison>
Handler compare_handler() {
  return lanewise<bool(T, T)>([](T a, T b) {
    if constexpr (kFlush)
      return compare<kComparison>(flush(a), flush(b));
    else
      return compare<kComparison>(a, b);
  });
}

template <class T, bool kFlush = false>
Handler compare_handler(Comparison comparison) {
  switch (comparison) {
    case Comparison::kEqual:
      return compare_handler<T, kFlush, Comparison::kEqual>();
    case Comparison::kNotEqual:
      return compare_handler<T, kFlush, Comparison::kNotEqual>();
    case Comparison::kLess:
      return compare_handler<T, kFlush, Comparison::kLess>();
    case Comparison::kLessOrEqual:
      return compare_handler<T, kFlush, Comparison::kLessOrEqual>();
    case Comparison::kGreater:
      return compare_handler<T, kFlush, Comparison::kGreater>();
    case Comparison::kGreaterOrEqual:
      return compare_handler<T, kFlush, Comparison::kGreaterOrEqual>();
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    switch (comparison) {
      case Comparison::kEqualOrUnordered:
        return compare_handler<T, kFlush, Comparison::kEqualOrUnordered>();
      case Comparison::kNotEqualOrUnordered:
        return compare_handler<T, kFlush, Comparison::kNotEqualOrUnordered>();
      case Comparison::kLessOrUnordered:
        return compare_handler<T, kFlush, Comparison::kLessOrUnordered>();
      case Comparison::kLessOrEqualOrUnordered:
        return compare_handler<T, kFlush, Comparison::kLessOrEqualOrUnordered>();
      case Comparison::kGreaterOrUnordered:
        return compare_handler<T, kFlush, Comparison::kGreaterOrUnordered>();
      case Comparison::kGreaterOrEqualOrUnordered:
        return compare_handler<T, kFlush, Comparison::kGreaterOrEqualOrUnordered>();
      case Comparison::kBothNumbers:
        return compare_handler<T, kFlush, Comparison::kBothNumbers>();
      case Comparison::kAnyNan:
        return compare_handler<T, kFlush, Comparison::kAnyNan>();
      default:
        break;
    }
  }
  return nullptr;
}

// Of types that are compared as they are; 16-bit floats are widened first.
Handler compare_handler(ValueType type, Comparison comparison, bool flush) {
  if (type == kF32)
    return flush ? compare_handler<float, true>(comparison) : compare_handler<float>(comparison);
  if (type == kF64) return compare_handler<double>(comparison);
  return for_integer(as_unsigned(type), [&]<class T>() { return compare_handler<T>(comparison); });
}

// One half of a source of a packed or plain 16-bit format, as floats.
template <class Format, unsigned kElements, unsigned kElement, bool kFlush>
void widen_element(Warp& warp, const Op& op, Mask lanes) {
  const std::uint16_t* const source = lanes_of<std::uint16_t>(warp, op.a);
  store_lanes<float>(warp, op.dst, lanes, [=](unsigned i) {
    const float value = Format::widen(source[i * kElements + kElement]);
    return kFlush ? flush_widened<Format>(value) : value;
  });
}

Handler widen_handler(ValueType type, unsigned element, bool flush) {
  if (type == kF16)
    return flush ? &widen_element<F16, 1, 0, true> : &widen_element<F16, 1, 0, false>;
  if (type == kBf16) return &widen_element<BF16, 1, 0, false>;
  if (type == kBf16x2)
    return element == 0 ? &widen_element<BF16, 2, 0, false> : &widen_element<BF16, 2, 1, false>;
  if (element == 0)
    return flush ? &widen_element<F16, 2, 0, true> : &widen_element<F16, 2, 0, false>;
  return flush ? &widen_element<F16, 2, 1, true> : &widen_element<F16, 2, 1, false>;
}

// What a comparison is combined with: t op c.
struct Combination {
  std::string_view op;  // empty: nothing
  Slot predicate = kNoSlot;
};

struct ComparedType {
  ValueType type;
  Comparison comparison{};
  bool flush = false;
};

// The predicate of one element of two sources, in a slot of its own.
Slot emit_comparison(Builder& builder, const ComparedType& compared, Slot a, Slot b,
                     unsigned element) {
  ValueType type = compared.type;
  if (is_small_float(type)) {
    const Handler widen = widen_handler(type, element, compared.flush);
    a = emit_to_scratch(builder, widen, 32, a);
    b = emit_to_scratch(builder, widen, 32, b);
    type = kF32;
  }
  const Handler handler = compare_handler(type, compared.comparison, compared.flush);
  return emit_to_scratch(builder, handler, 1, a, b);
}

enum class MaskOp : std::uint8_t { kAnd, kOr, kXor };
template <MaskOp kOp, bool kNegated>
void run_combine(Warp& warp, const Op& op, Mask lanes) {
  const Mask a = kNegated ? ~predicate_of(warp, op.a) : predicate_of(warp, op.a);
  const Mask b = predicate_of(warp, op.b);
  const Mask result = kOp == MaskOp::kAnd ? a & b : kOp == MaskOp::kOr ? a | b : a ^ b;
  Mask& out = predicate_of(warp, op.dst);
  out = (out & ~lanes) | (result & lanes);
}
Handler combine_handler(std::string_view op, bool negated) {
  return for_flags(
      [op]<bool kNegated>() -> Handler {
        return op == "and"  ? &run_combine<MaskOp::kAnd, kNegated>
               : op == "or" ? &run_combine<MaskOp::kOr, kNegated>
                            : &run_combine<MaskOp::kXor, kNegated>;
      },
      negated);
}

// Two predicates at once: the guard may be one of the destinations.
template <bool kNegateSecond>
void run_store_predicates(Warp& warp, const Op& op, Mask lanes) {
  const Mask first = predicate_of(warp, op.a);
  const Mask second = kNegateSecond ? ~predicate_of(warp, op.b) : predicate_of(warp, op.b);
  Mask& out = predicate_of(warp, op.dst);
  out = (out & ~lanes) | (first & lanes);
  Mask& other = predicate_of(warp, static_cast<Slot>(op.immediate));
  other = (other & ~lanes) | (second & lanes);
}

Result<Combination> read_combination(Builder& builder, const ptx::Instruction& instruction,
                                     std::string_view op) {
  if (op.empty()) return Combination{};
  EGPU_ASSIGN(const Slot predicate, builder.read(instruction.operands[3], kPred));
  return Combination{op, predicate};
}

Result<void> translate_setp(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const std::string_view combine = modifiers.take_one_of({"and", "or", "xor"});
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  ComparedType compared{.type = type};
  compared.flush = (type == kF32 || type == kF16 || type == kF16x2) && modifiers.take("ftz");
  const auto comparison = take_comparison(modifiers, type);
  EGPU_TRY(builder.finish(modifiers));
  const std::size_t operands = combine.empty() ? 3 : 4;
  EGPU_TRY(builder.operands(instruction, operands, operands));
  if (!comparison) return builder.error("needs a comparison that the type has");
  compared.comparison = *comparison;
  const bool small = is_small_float(type);
  if (!small && compare_handler(type, *comparison, compared.flush) == nullptr)
    return builder.error("does not exist for this type");

  EGPU_ASSIGN(const Slot a, builder.read(instruction.operands[1], type));
  EGPU_ASSIGN(const Slot b, builder.read(instruction.operands[2], type));
  EGPU_ASSIGN(const Combination with, read_combination(builder, instruction, combine));
  const auto combined = [&](Slot t, bool negated) {
    if (with.op.empty()) return t;
    return emit_to_scratch(builder, combine_handler(with.op, negated), 1, t, with.predicate);
  };

  const auto* pair = std::get_if<ptx::Pair>(&instruction.operands[0]);
  if (pair == nullptr) {
    if (type.elements == 2) return builder.error("needs two results, p|q, for pairs");
    EGPU_ASSIGN(const Slot dst, builder.write(instruction.operands[0], kPred));
    if (small || !with.op.empty()) {
      const Slot t = combined(emit_comparison(builder, compared, a, b, 0), false);
      builder.emit({.handler = lanewise<bool(bool)>([](bool p) { return p; }), .dst = dst, .a = t});
      return {};
    }
    builder.emit({.handler = compare_handler(type, *comparison, compared.flush),
                  .dst = dst,
                  .a = a,
                  .b = b});
    return {};
  }

  EGPU_ASSIGN(const Slot p, builder.write(pair->first, kPred));
  EGPU_ASSIGN(const Slot q, builder.write(pair->second, kPred));
  const Slot t = emit_comparison(builder, compared, a, b, 0);
  // Of pairs the second result is that of the high halves, else the negation of the first.
  const bool pairs = type.elements == 2;
  const Slot u = pairs ? emit_comparison(builder, compared, a, b, 1) : t;
  const bool negate = !pairs && with.op.empty();
  builder.emit({.handler = negate ? &run_store_predicates<true> : &run_store_predicates<false>,
                .dst = p,
                .a = combined(t, false),
                .b = combined(u, !pairs),
                .immediate = q});
  return {};
}

// set: all ones, or 1.0, where the comparison holds.
template <class T>
Handler set_handler() {
  return lanewise<T(bool)>([](bool t) {
    if constexpr (std::is_floating_point_v<T>)
      return t ? T{1} : T{0};
    else
      return static_cast<T>(t ? ~T{0} : T{0});
  });
}
template <std::uint16_t kTrue>
Handler set_16_handler() {
  return lanewise<std::uint16_t(bool)>(
      [](bool t) { return static_cast<std::uint16_t>(t ? kTrue : 0); });
}
template <std::uint16_t kTrue>
Handler set_pair_handler() {
  return lanewise<std::uint32_t(bool, bool)>([](bool low, bool high) {
    return std::uint32_t{low ? kTrue : std::uint16_t{0}} |
           std::uint32_t{high ? kTrue : std::uint16_t{0}} << 16;
  });
}
constexpr std::uint16_t kOneF16 = 0x3c00;
constexpr std::uint16_t kOneBf16 = 0x3f80;

Handler set_handler(ValueType result, bool pairs) {
  if (pairs) {
    if (result == kF16x2) return set_pair_handler<kOneF16>();
    if (result == kBf16x2) return set_pair_handler<kOneBf16>();
    return result == kU32 || result == kS32 ? set_pair_handler<0xffff>() : nullptr;
  }
  if (result == kF32) return set_handler<float>();
  if (result == kU32 || result == kS32) return set_handler<std::uint32_t>();
  if (result == kF16) return set_16_handler<kOneF16>();
  if (result == kBf16) return set_16_handler<kOneBf16>();
  if (result == kU16 || result == kS16) return set_16_handler<0xffff>();
  return nullptr;
}

Result<void> translate_set(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const std::string_view combine = modifiers.take_one_of({"and", "or", "xor"});
  EGPU_ASSIGN(const ValueType result, need_type(builder, modifiers));
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  ComparedType compared{.type = type};
  compared.flush = (type == kF32 || type == kF16 || type == kF16x2) && modifiers.take("ftz");
  const auto comparison = take_comparison(modifiers, type);
  EGPU_TRY(builder.finish(modifiers));
  const std::size_t operands = combine.empty() ? 3 : 4;
  EGPU_TRY(builder.operands(instruction, operands, operands));
  if (!comparison) return builder.error("needs a comparison that the type has");
  compared.comparison = *comparison;
  const bool pairs = type.elements == 2;
  const Handler set = set_handler(result, pairs);
  const bool compares =
      is_small_float(type) || compare_handler(type, *comparison, compared.flush) != nullptr;
  if (set == nullptr || !compares) return builder.error("does not exist for these types");

  EGPU_ASSIGN(const Slot a, builder.read(instruction.operands[1], type));
  EGPU_ASSIGN(const Slot b, builder.read(instruction.operands[2], type));
  EGPU_ASSIGN(const Combination with, read_combination(builder, instruction, combine));
  EGPU_ASSIGN(const Slot dst, builder.write(instruction.operands[0], result));
  Slot halves[2] = {kNoSlot, kNoSlot};
  for (unsigned element = 0; element < type.elements; ++element) {
    halves[element] = emit_comparison(builder, compared, a, b, element);
    if (!with.op.empty())
      halves[element] = emit_to_scratch(builder, combine_handler(with.op, false), 1,
                                        halves[element], with.predicate);
  }
  builder.emit({.handler = set, .dst = dst, .a = halves[0], .b = halves[1]});
  return {};
}

// The lane type that moves values of the type.
template <class F>
Handler for_width(ValueType type, F&& make) {
  return for_type<std::uint16_t, std::uint32_t, std::uint64_t>(
      {TypeKind::kUnsigned, static_cast<std::uint8_t>(type.total_bits())}, make);
}

Result<void> translate_selp(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler = for_width(type, []<class T>() {
    return lanewise<T(T, T, bool)>([](T a, T b, bool c) {
      const T of_a = static_cast<T>(T{0} - T{c});  // a choice would become a jump
      return static_cast<T>((a & of_a) | (b & ~of_a));
    });
  });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, type, kPred});
}

Result<void> translate_slct(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  EGPU_ASSIGN(const ValueType by, need_type(builder, modifiers));
  const bool flushes = by == kF32 && modifiers.take("ftz");
  if (by != kS32 && by != kF32) return builder.error("selects by .s32 or .f32");
  const Handler handler = for_width(type, [&]<class T>() {
    if (by == kS32)
      return lanewise<T(T, T, std::int32_t)>(
          [](T a, T b, std::int32_t c) { return c >= 0 ? a : b; });
    return flushes
               ? lanewise<T(T, T, float)>([](T a, T b, float c) { return flush(c) >= 0 ? a : b; })
               : lanewise<T(T, T, float)>([](T a, T b, float c) { return c >= 0 ? a : b; });
  });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, type, by});
}

constexpr Translation kTable[] = {
    {"setp", translate_setp},
    {"set", translate_set},
    {"selp", translate_selp},
    {"slct", translate_slct},
};

}  // namespace

TranslationTable compare_table() { return kTable; }

}  // namespace egpu::emu
