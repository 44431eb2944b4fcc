// Bit operations: shifts, fields, permutations, counts and logic.
#include <immintrin.h>

#include <functional>
#include <optional>

#include "emu/arithmetic/bits.h"
#include "emu/emit.h"
#include "emu/lanewise.h"
#include "emu/select.h"

namespace egpu::emu {
namespace {

using std::int32_t;
using std::int64_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

// The handler of .b16, .b32 and .b64.
template <class F>
Handler for_bits(ValueType type, F&& make) {
  if (type.kind != TypeKind::kBits) return nullptr;
  return for_type<uint16_t, uint32_t, uint64_t>(as_unsigned(type), make);
}

Result<void> translate_shl(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler = for_bits(type, []<class T>() {
    return lanewise<T(T, uint32_t)>([](T a, uint32_t b) { return shift_left(a, b); });
  });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, kU32});
}

Result<void> translate_shr(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler = for_integer(as_unsigned(type), []<class T>() {
    return lanewise<T(T, uint32_t)>([](T a, uint32_t b) { return shift_right(a, b); });
  });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, kU32});
}

Result<void> translate_shf(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const std::string_view direction = modifiers.take_one_of({"l", "r"});
  const std::string_view mode = modifiers.take_one_of({"clamp", "wrap"});
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  if (direction.empty() || mode.empty()) return builder.error("needs .l or .r, .clamp or .wrap");
  const Handler handler =
      type != kB32
          ? nullptr
          : for_flags(
                []<bool kLeft, bool kClamp>() {
                  return lanewise<uint32_t(uint32_t, uint32_t, uint32_t)>(
                      [](uint32_t a, uint32_t b, uint32_t c) {
                        return kLeft ? funnel_left<kClamp>(a, b, c) : funnel_right<kClamp>(a, b, c);
                      });
                },
                direction == "l", mode == "clamp");
  return emit_lanewise(builder, instruction, modifiers, handler, kB32, {kB32, kB32, kU32});
}

// and, or, xor; predicates are masks, which the same operators work on.
template <class F>
void run_mask_operation(Warp& warp, const Op& op, Mask lanes) {
  const Mask result = F{}(predicate_of(warp, op.a), predicate_of(warp, op.b));
  Mask& out = predicate_of(warp, op.dst);
  out = (out & ~lanes) | (result & lanes);
}

template <class F>
Result<void> translate_logic(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler = type == kPred ? &run_mask_operation<F> : for_bits(type, []<class T>() {
    return lanewise<T(T, T)>([](T a, T b) { return static_cast<T>(F{}(a, b)); });
  });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, type});
}

void run_mask_not(Warp& warp, const Op& op, Mask lanes) {
  Mask& out = predicate_of(warp, op.dst);
  out = (out & ~lanes) | (~predicate_of(warp, op.a) & lanes);
}

Result<void> translate_not(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler = type == kPred ? &run_mask_not : for_bits(type, []<class T>() {
    return lanewise<T(T)>([](T a) { return static_cast<T>(~a); });
  });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type});
}

Result<void> translate_cnot(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler = for_bits(type, []<class T>() {
    return lanewise<T(T)>([](T a) { return static_cast<T>(a == 0 ? 1 : 0); });
  });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type});
}

// Op::extra: the table as eight masks, all ones or zero.
struct LookUpMasks {
  uint32_t row[8];
};

// Three levels of choices, by c, then b, then a.
void run_lop3(Warp& warp, const Op& op, Mask lanes) {
  const LaneSource<uint32_t> a(warp, op.a);
  const LaneSource<uint32_t> b(warp, op.b);
  const LaneSource<uint32_t> c(warp, op.c);
  const LookUpMasks masks = *static_cast<const LookUpMasks*>(op.extra);
  const auto choose = [](uint32_t by, uint32_t one, uint32_t zero) {
    return zero ^ (by & (one ^ zero));
  };
  store_lanes<uint32_t>(warp, op.dst, lanes, [=](unsigned i) {
    const uint32_t by_c = c(i);
    const uint32_t by_b = b(i);
    const uint32_t zero = choose(by_b, choose(by_c, masks.row[3], masks.row[2]),
                                 choose(by_c, masks.row[1], masks.row[0]));
    const uint32_t one = choose(by_b, choose(by_c, masks.row[7], masks.row[6]),
                                choose(by_c, masks.row[5], masks.row[4]));
    return choose(a(i), one, zero);
  });
}

// lop3.or: p = (result != 0) or q, both p and result written; the result may be `_`.
template <bool kAnd>
void run_lop3_predicate(Warp& warp, const Op& op, Mask lanes) {
  const LaneSource<uint32_t> result(warp, op.a);
  const LaneSource<bool> q(warp, op.b);
  const Slot plain = static_cast<Slot>(op.immediate);
  store_lanes<uint32_t>(warp, plain, lanes, [=](unsigned i) { return result(i); });
  set_predicate(warp, op.dst, lanes, [=](unsigned i) {
    const bool any = result(i) != 0;
    return kAnd ? any && q(i) : any || q(i);
  });
}

Result<void> translate_lop3(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const std::string_view combine = modifiers.take_one_of({"or", "and"});
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  EGPU_TRY(builder.finish(modifiers));
  if (type != kB32) return builder.error("does not exist for this type");
  const std::size_t operands = combine.empty() ? 5 : 6;
  EGPU_TRY(builder.operands(instruction, operands, operands));

  const auto* table = std::get_if<ptx::Integer>(&instruction.operands[4]);
  const auto bits = table != nullptr ? ptx::integer_value(*table) : std::nullopt;
  if (!bits || *bits > 0xff) return builder.error("needs an immediate table of 8 bits");
  LookUpMasks masks{};
  for (unsigned i = 0; i < 8; ++i) masks.row[i] = (*bits >> i & 1) != 0 ? ~uint32_t{0} : 0;

  Op op{.handler = &run_lop3, .extra = builder.keep(masks)};
  EGPU_ASSIGN(op.a, builder.read(instruction.operands[1], kB32));
  EGPU_ASSIGN(op.b, builder.read(instruction.operands[2], kB32));
  EGPU_ASSIGN(op.c, builder.read(instruction.operands[3], kB32));
  if (combine.empty()) {
    EGPU_ASSIGN(op.dst, builder.write(instruction.operands[0], kB32));
    builder.emit(op);
    return {};
  }
  const auto* pair = std::get_if<ptx::Pair>(&instruction.operands[0]);
  if (pair == nullptr) return builder.error("needs two results, d|p");
  EGPU_ASSIGN(const Slot plain, builder.write(pair->first, kB32));
  EGPU_ASSIGN(const Slot predicate, builder.write(pair->second, kPred));
  EGPU_ASSIGN(const Slot q, builder.read(instruction.operands[5], kPred));
  op.dst = builder.scratch(32);
  builder.emit(op);
  builder.emit(
      {.handler = combine == "and" ? &run_lop3_predicate<true> : &run_lop3_predicate<false>,
       .dst = predicate,
       .a = op.dst,
       .b = q,
       .immediate = plain});
  return {};
}

Result<void> translate_popc(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler = type.bits < 32 ? nullptr
                                         : for_bits(
                                               type,
                                               []<class T>() {
                                                 return lanewise<uint32_t(T)>([](T a) {
                                                   return static_cast<uint32_t>(std::popcount(a));
                                                 });
                                               });
  return emit_lanewise(builder, instruction, modifiers, handler, kU32, {type});
}

Result<void> translate_clz(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler = type.bits < 32
                              ? nullptr
                              : for_bits(
                                    type,
                                    []<class T>() {
                                      return lanewise<uint32_t(T)>([](T a) {
                                        return static_cast<uint32_t>(std::countl_zero(a));
                                      });
                                    });
  return emit_lanewise(builder, instruction, modifiers, handler, kU32, {type});
}

Result<void> translate_bfind(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const bool amount = modifiers.take("shiftamt");
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler = for_type<uint32_t, int32_t, uint64_t, int64_t>(type, [amount]<class T>() {
    return amount ? lanewise<uint32_t(T)>([](T a) { return find_highest<T, true>(a); })
                  : lanewise<uint32_t(T)>([](T a) { return find_highest<T, false>(a); });
  });
  return emit_lanewise(builder, instruction, modifiers, handler, kU32, {type});
}

Result<void> translate_fns(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler =
      type != kB32 ? nullptr
                   : lanewise<uint32_t(uint32_t, uint32_t, int32_t)>(
                         [](uint32_t a, uint32_t b, int32_t c) { return find_nth_set(a, b, c); });
  return emit_lanewise(builder, instruction, modifiers, handler, kB32, {kB32, kB32, kS32});
}

Result<void> translate_brev(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler =
      type.bits < 32
          ? nullptr
          : for_bits(
                type,
                []<class T>() { return lanewise<T(T)>([](T a) { return reverse_bits(a); }); });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type});
}

Result<void> translate_bfe(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler = for_type<uint32_t, int32_t, uint64_t, int64_t>(type, []<class T>() {
    return lanewise<T(T, uint32_t, uint32_t)>(
        [](T a, uint32_t b, uint32_t c) { return extract_field(a, b, c); });
  });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, kU32, kU32});
}

Result<void> translate_bfi(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  const Handler handler =
      type.bits < 32
          ? nullptr
          : for_bits(
                type,
                []<class T>() {
                  return lanewise<T(T, T, uint32_t, uint32_t)>(
                      [](T a, T b, uint32_t c, uint32_t d) { return insert_field(a, b, c, d); });
                });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, type, kU32, kU32});
}

Result<void> translate_szext(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const std::string_view mode = modifiers.take_one_of({"clamp", "wrap"});
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  if (mode.empty()) return builder.error("needs .clamp or .wrap");
  const Handler handler = for_type<uint32_t, int32_t>(type, [clamp = mode == "clamp"]<class T>() {
    return clamp ? lanewise<T(T, uint32_t)>(
                       [](T a, uint32_t b) { return extend_low_bits<T, true>(a, b); })
                 : lanewise<T(T, uint32_t)>(
                       [](T a, uint32_t b) { return extend_low_bits<T, false>(a, b); });
  });
  return emit_lanewise(builder, instruction, modifiers, handler, type, {type, kU32});
}

Result<void> translate_bmsk(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const std::string_view mode = modifiers.take_one_of({"clamp", "wrap"});
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  if (mode.empty()) return builder.error("needs .clamp or .wrap");
  const Handler handler =
      type != kB32 ? nullptr
                   : for_flags(
                         []<bool kClamp>() {
                           return lanewise<uint32_t(uint32_t, uint32_t)>(
                               [](uint32_t a, uint32_t b) { return bit_mask<kClamp>(a, b); });
                         },
                         mode == "clamp");
  return emit_lanewise(builder, instruction, modifiers, handler, kB32, {kU32, kU32});
}

template <const PermuteMode& kMode>
Handler permute_in_mode() {
  return lanewise<uint32_t(uint32_t, uint32_t, uint32_t)>([](uint32_t a, uint32_t b, uint32_t c) {
    return permute_bytes(a, b, kMode.selectors[c & 3]);
  });
}

// A selector that is known: where each byte of a lane comes from, for the host's byte shuffle,
// which works on four lanes at a time. Bytes that come from the other source are zero.
struct ByteShuffle {
  alignas(16) std::uint8_t from_a[16];
  alignas(16) std::uint8_t from_b[16];
};
constexpr ByteShuffle shuffle_of(uint32_t selector) {
  ByteShuffle result{};
  for (unsigned i = 0; i < 16; ++i) {
    constexpr std::uint8_t kNothing = 0x80;
    const unsigned nibble = selector >> i % 4 * 4 & 7;
    const auto at = static_cast<std::uint8_t>(i / 4 * 4 + nibble % 4);
    result.from_a[i] = nibble < 4 ? at : kNothing;
    result.from_b[i] = nibble < 4 ? kNothing : at;
  }
  return result;
}
void run_shuffle(Warp& warp, const Op& op, Mask lanes) {
  const auto& shuffle = *static_cast<const ByteShuffle*>(op.extra);
  const auto load = [](const void* from) {
    return _mm256_broadcastsi128_si256(_mm_load_si128(static_cast<const __m128i*>(from)));
  };
  const __m256i from_a = load(shuffle.from_a);
  const __m256i from_b = load(shuffle.from_b);
  const auto* const a = lanes_of<__m256i>(warp, op.a);
  const auto* const b = lanes_of<__m256i>(warp, op.b);
  alignas(64) uint32_t results[kLanes];
  for (unsigned i = 0; i < 4; ++i)
    _mm256_store_si256(
        reinterpret_cast<__m256i*>(results) + i,
        _mm256_or_si256(_mm256_shuffle_epi8(a[i], from_a), _mm256_shuffle_epi8(b[i], from_b)));
  store_lanes<uint32_t>(warp, op.dst, lanes, [&](unsigned i) { return results[i]; });
}

// The selector, where it is written in the instruction and asks for no signs.
std::optional<uint32_t> plain_selector(const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 4) return std::nullopt;
  const auto* const selector = std::get_if<ptx::Integer>(&instruction.operands[3]);
  const auto bits = selector != nullptr ? ptx::integer_value(*selector) : std::nullopt;
  if (!bits || (*bits & 0x8888) != 0) return std::nullopt;
  return static_cast<uint32_t>(*bits);
}

Result<void> translate_prmt(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const std::string_view mode = modifiers.take_one_of({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
  if (const auto selector = plain_selector(instruction); selector && type == kB32 && mode.empty())
    return emit_lanewise(builder, instruction, modifiers,
                         Op{.handler = &run_shuffle, .extra = builder.keep(shuffle_of(*selector))},
                         kB32, {kB32, kB32, kB32});
  Handler handler = nullptr;
  if (type == kB32)
    handler = mode == "f4e"   ? permute_in_mode<kForwardExtract>()
              : mode == "b4e" ? permute_in_mode<kBackwardExtract>()
              : mode == "rc8" ? permute_in_mode<kReplicateByte>()
              : mode == "ecl" ? permute_in_mode<kEdgeClampLeft>()
              : mode == "ecr" ? permute_in_mode<kEdgeClampRight>()
              : mode == "rc16"
                  ? permute_in_mode<kReplicateHalf>()
                  : lanewise<uint32_t(uint32_t, uint32_t, uint32_t)>(
                        [](uint32_t a, uint32_t b, uint32_t c) { return permute_bytes(a, b, c); });
  return emit_lanewise(builder, instruction, modifiers, handler, kB32, {kB32, kB32, kB32});
}

constexpr Translation kTable[] = {
    {"shl", translate_shl},
    {"shr", translate_shr},
    {"shf", translate_shf},
    {"and", translate_logic<std::bit_and<>>},
    {"or", translate_logic<std::bit_or<>>},
    {"xor", translate_logic<std::bit_xor<>>},
    {"not", translate_not},
    {"cnot", translate_cnot},
    {"lop3", translate_lop3},
    {"popc", translate_popc},
    {"clz", translate_clz},
    {"bfind", translate_bfind},
    {"fns", translate_fns},
    {"brev", translate_brev},
    {"bfe", translate_bfe},
    {"bfi", translate_bfi},
    {"szext", translate_szext},
    {"bmsk", translate_bmsk},
    {"prmt", translate_prmt},
};

}  // namespace

TranslationTable bits_table() { return kTable; }

}  // namespace egpu::emu
