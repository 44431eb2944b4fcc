// redux.sync: one value from those of all lanes.
#include <bit>

#include "emu/arithmetic/float.h"
#include "emu/membership.h"
#include "emu/select.h"
#include "emu/type_dispatch.h"

namespace egpu::emu {
namespace {

template <class T, T (*combine)(T, T)>
void reduce(Warp& warp, const Op& op, Mask lanes) {
  for_members(warp, op, lanes, op.b, [&](Mask together) {
    const T* a = lanes_of<T>(warp, op.a);
    T result = a[std::countr_zero(together)];
    for_each_lane(together & (together - 1), [&](unsigned i) { result = combine(result, a[i]); });
    set_lanes<T>(warp, op.dst, together, [&](unsigned) { return result; });
  });
}

using U = std::uint32_t;
using S = std::int32_t;
U add(U a, U b) { return a + b; }
U bit_and(U a, U b) { return a & b; }
U bit_or(U a, U b) { return a | b; }
U bit_xor(U a, U b) { return a ^ b; }
template <class T>
T least(T a, T b) {
  return a < b ? a : b;
}
template <class T>
T greatest(T a, T b) {
  return a < b ? b : a;
}

// Every source goes through `extreme` at least once, with itself: a lone NaN becomes canonical.
template <bool is_max, bool is_absolute, bool nan>
void reduce_float(Warp& warp, const Op& op, Mask lanes) {
  constexpr ExtremeMode kMode{.greatest = is_max, .nan = nan, .xor_sign = false};
  for_members(warp, op, lanes, op.b, [&](Mask together) {
    const auto* a = lanes_of<float>(warp, op.a);
    const auto source = [&](unsigned i) { return is_absolute ? absolute(a[i]) : a[i]; };
    float result = source(std::countr_zero(together));
    for_each_lane(together, [&](unsigned i) { result = extreme<kMode>(result, source(i)); });
    set_lanes<float>(warp, op.dst, together, [&](unsigned) { return result; });
  });
}

template <bool is_max, bool is_absolute>
Handler float_handler(bool nan) {
  return nan ? reduce_float<is_max, is_absolute, true> : reduce_float<is_max, is_absolute, false>;
}
Handler float_handler(bool is_max, bool is_absolute, bool nan) {
  if (is_max) return is_absolute ? float_handler<true, true>(nan) : float_handler<true, false>(nan);
  return is_absolute ? float_handler<false, true>(nan) : float_handler<false, false>(nan);
}

Handler integer_handler(std::string_view operation, ValueType type) {
  if (type == kB32) {
    if (operation == "and") return reduce<U, bit_and>;
    if (operation == "or") return reduce<U, bit_or>;
    return operation == "xor" ? reduce<U, bit_xor> : nullptr;
  }
  const bool is_signed = type == kS32;
  if (!is_signed && type != kU32) return nullptr;
  if (operation == "add") return reduce<U, add>;
  if (operation == "min") return is_signed ? reduce<S, least<S>> : reduce<U, least<U>>;
  if (operation == "max") return is_signed ? reduce<S, greatest<S>> : reduce<U, greatest<U>>;
  return nullptr;
}

Result<void> translate(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const bool sync = modifiers.take("sync");
  const std::string_view operation =
      modifiers.take_one_of({"add", "min", "max", "and", "or", "xor"});
  const auto type = modifiers.take_type();
  if (!sync || !type) return builder.error("is not .sync or has no type");
  Handler handler = nullptr;
  if (*type == kF32 && (operation == "min" || operation == "max")) {
    const bool is_absolute = modifiers.take("abs");
    handler = float_handler(operation == "max", is_absolute, modifiers.take("NaN"));
  } else {
    handler = integer_handler(operation, *type);
  }
  EGPU_TRY(builder.finish(modifiers));
  if (handler == nullptr) return builder.error("no such reduction exists");
  EGPU_TRY(builder.operands(instruction, 3, 3));
  Op op{.handler = handler};
  EGPU_ASSIGN(op.a, builder.read(instruction.operands[1], *type));
  EGPU_ASSIGN(op.b, builder.read(instruction.operands[2], kB32));
  EGPU_ASSIGN(op.dst, builder.write(instruction.operands[0], *type));
  builder.emit(op);
  return {};
}

constexpr Translation kTable[] = {{"redux", translate}};

}  // namespace

TranslationTable reduce_table() { return kTable; }

}  // namespace egpu::emu
