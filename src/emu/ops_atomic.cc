// atom and red.
//
// Blocks run on several host threads and the host may look at memory meanwhile, so all is done
// with atomic instructions of the host, ordered more strongly than any PTX form asks. Lanes follow
// each other in ascending order. Where all lanes name one address, the whole warp's operations are
// one atomic step.
#include <fmt/format.h>

#include <array>

#include "emu/atomic_operation.h"
#include "emu/memory_modifiers.h"
#include "emu/select.h"

namespace egpu::emu {
namespace {

// Op::extra.
struct AtomicAccess {
  Resolver resolve = nullptr;
  bool shared = false;            // .shared: one host thread runs all blocks of a cluster
  unsigned count = 1;             // elements of a vector
  std::array<Slot, 8> results{};  // kNoSlot: nobody wants the old value
  std::array<Slot, 8> sources{};
};

// What several lanes' operations at `at` left there before each. `alone`: no other host thread
// comes there.
template <class O>
void apply_in_turn(typename O::T* at, Mask lanes, const typename O::T* b, const typename O::T* c,
                   typename O::T* before, bool alone) {
  using T = O::T;
  auto* bytes = reinterpret_cast<std::byte*>(at);
  T old = alone ? plain_load<T>(bytes) : atomic_load<T>(bytes);
  for (;;) {
    T current = old;
    for_each_lane(lanes, [&](unsigned i) {
      before[i] = current;
      current = O::apply(current, b[i], c[i]);
    });
    if (alone) return plain_store<T>(bytes, current);
    if (compare_exchange<T>(at, old, current)) return;
  }
}

template <class O>
O::T apply_once(typename O::T* at, typename O::T b, typename O::T c, bool alone) {
  using T = O::T;
  if constexpr (requires { O::fetch(at, b); }) {
    if (!alone) return O::fetch(at, b);
  }
  T before[kLanes];
  apply_in_turn<O>(at, 1, &b, &c, before, alone);
  return before[0];
}

template <class O>
void operate(Warp& warp, const Op& op, Mask lanes, const Access& access) {
  using T = O::T;
  const auto& how = *static_cast<const AtomicAccess*>(op.extra);
  const T* b = lanes_of<T>(warp, how.sources[0]);
  const T* c = op.c == kNoSlot ? b : lanes_of<T>(warp, op.c);
  T before[kLanes];
  if (access.pattern == Access::Pattern::kUniform) {
    apply_in_turn<O>(reinterpret_cast<T*>(access.first), lanes, b, c, before, how.shared);
  } else {
    for_each_lane(lanes, [&](unsigned i) {
      auto* at = reinterpret_cast<T*>(access.lane(i, sizeof(T)));
      before[i] = apply_once<O>(at, b[i], c[i], how.shared);
    });
  }
  if (how.results[0] == kNoSlot) return;
  T* out = lanes_of<T>(warp, how.results[0]);
  for_each_lane(lanes, [&](unsigned i) { out[i] = before[i]; });
}

template <class O>
void atomic(Warp& warp, const Op& op, Mask lanes) {
  const auto& how = *static_cast<const AtomicAccess*>(op.extra);
  Access access;
  if (how.resolve(warp, op, lanes, sizeof(typename O::T), access)) {
    operate<O>(warp, op, lanes, access);
  }
}

// Generic addresses: what lies in shared memory is another operation.
void atomic_add_f32_generic(Warp& warp, const Op& op, Mask lanes) {
  const auto& how = *static_cast<const AtomicAccess*>(op.extra);
  Access access;
  if (!how.resolve(warp, op, lanes, sizeof(std::uint32_t), access)) return;
  const auto* address = lanes_of<std::uint64_t>(warp, op.a);
  Mask in_shared = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint64_t generic = address[i] + static_cast<std::uint64_t>(op.immediate);
    in_shared |= static_cast<Mask>(generic - kSharedWindow < kWindowBytes ? 1 : 0) << i;
  }
  if ((lanes & in_shared) != 0) operate<AtomicAddF32<false>>(warp, op, lanes & in_shared, access);
  if ((lanes & ~in_shared) != 0) operate<AtomicAddF32<true>>(warp, op, lanes & ~in_shared, access);
}

template <class O>
void atomic_vector(Warp& warp, const Op& op, Mask lanes) {
  using T = O::T;
  const auto& how = *static_cast<const AtomicAccess*>(op.extra);
  const unsigned bytes = how.count * sizeof(T);
  Access access;
  if (!how.resolve(warp, op, lanes, bytes, access)) return;
  T before[8][kLanes];
  for_each_lane(lanes, [&](unsigned i) {
    auto* at = reinterpret_cast<T*>(access.lane(i, bytes));
    for (unsigned e = 0; e < how.count; ++e) {
      const T b = lanes_of<T>(warp, how.sources[e])[i];
      before[e][i] = apply_once<O>(at + e, b, b, false);
    }
  });
  for (unsigned e = 0; e < how.count; ++e) {
    if (how.results[e] == kNoSlot) continue;
    T* out = lanes_of<T>(warp, how.results[e]);
    for_each_lane(lanes, [&](unsigned i) { out[i] = before[e][i]; });
  }
}

template <template <class> class O, bool wide>
Handler for_width(ValueType type) {
  if (type.kind != TypeKind::kBits) return nullptr;
  if (type.bits == 32) return atomic<O<std::uint32_t>>;
  if (type.bits == 64) return atomic<O<std::uint64_t>>;
  if constexpr (wide) {
    if (type.bits == 128) return atomic<O<Wide>>;
  }
  return nullptr;
}

template <template <class> class O>
Handler for_number(ValueType type) {
  const bool wide = type.bits == 64;
  if (type.kind == TypeKind::kUnsigned && type.elements == 1 && type.bits >= 32) {
    return wide ? atomic<O<std::uint64_t>> : atomic<O<std::uint32_t>>;
  }
  if (type.kind == TypeKind::kSigned && type.elements == 1 && type.bits >= 32) {
    return wide ? atomic<O<std::int64_t>> : atomic<O<std::int32_t>>;
  }
  return nullptr;
}

template <class Operation>
Handler for_small(ValueType type, bool vector) {
  if (type.bits != 16) return nullptr;
  const bool pair = type.elements == 2;
  if (type.kind == TypeKind::kFloat) {
    if (vector) {
      return pair ? atomic_vector<AtomicSmallPair<Operation, F16>>
                  : atomic_vector<AtomicSmall<Operation, F16>>;
    }
    return pair ? atomic<AtomicSmallPair<Operation, F16>> : atomic<AtomicSmall<Operation, F16>>;
  }
  if (type.kind == TypeKind::kBrainFloat) {
    if (vector) {
      return pair ? atomic_vector<AtomicSmallPair<Operation, BF16>>
                  : atomic_vector<AtomicSmall<Operation, BF16>>;
    }
    return pair ? atomic<AtomicSmallPair<Operation, BF16>> : atomic<AtomicSmall<Operation, BF16>>;
  }
  return nullptr;
}

Handler adder(ValueType type, Space space, bool vector) {
  if (type.kind == TypeKind::kFloat && type.bits == 32 && type.elements == 1) {
    if (vector) return atomic_vector<AtomicAddF32<true>>;
    if (space == Space::kGlobal) return atomic<AtomicAddF32<true>>;
    return space == Space::kShared ? atomic<AtomicAddF32<false>> : atomic_add_f32_generic;
  }
  if (type.bits == 16) return for_small<SmallAdd>(type, vector);
  if (vector || type.elements != 1) return nullptr;
  if (type.kind == TypeKind::kFloat && type.bits == 64) return atomic<AtomicAddF64>;
  const bool is_signed = type.kind == TypeKind::kSigned;
  if (!is_signed && type.kind != TypeKind::kUnsigned) return nullptr;
  if (type.bits == 32) return atomic<AtomicAdd<std::uint32_t>>;
  return type.bits == 64 && !is_signed ? atomic<AtomicAdd<std::uint64_t>> : nullptr;
}

Handler find_handler(std::string_view operation, ValueType type, Space space, bool vector) {
  if (operation == "add") return adder(type, space, vector);
  if (operation == "min" || operation == "max") {
    const bool greatest = operation == "max";
    if (vector) {
      return greatest ? for_small<SmallExtreme<true>>(type, true)
                      : for_small<SmallExtreme<false>>(type, true);
    }
    return greatest ? for_number<AtomicMax>(type) : for_number<AtomicMin>(type);
  }
  if (vector) return nullptr;
  if (operation == "and") return for_width<AtomicAnd, false>(type);
  if (operation == "or") return for_width<AtomicOr, false>(type);
  if (operation == "xor") return for_width<AtomicXor, false>(type);
  if (operation == "exch") return for_width<AtomicExchange, true>(type);
  if (operation == "cas") {
    if (type == ValueType{TypeKind::kBits, 16}) return atomic<AtomicCompare<std::uint16_t>>;
    return for_width<AtomicCompare, true>(type);
  }
  if (type != ValueType{TypeKind::kUnsigned, 32}) return nullptr;
  if (operation == "inc") return atomic<AtomicIncrement>;
  return operation == "dec" ? atomic<AtomicDecrement> : nullptr;
}

// Everything an atom or red says besides its operands.
struct AtomicForm {
  std::string_view operation;
  Space space = Space::kGenericShareable;
  ValueType type;
  unsigned count = 1;
  bool cache_policy = false;
  Handler handler = nullptr;
};

Result<AtomicForm> take_form(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  AtomicForm form;
  modifiers.take_one_of({"relaxed", "acquire", "release", "acq_rel"});
  take_scope(modifiers);
  EGPU_ASSIGN(form.space, take_space(builder, modifiers, Spaces::kAtomic));
  form.operation =
      modifiers.take_one_of({"and", "or", "xor", "cas", "exch", "add", "inc", "dec", "min", "max"});
  const bool noftz = modifiers.take("noftz");
  form.cache_policy = take_cache_hints(modifiers);
  form.count = take_vector(modifiers);
  const auto type = modifiers.take_type();
  EGPU_TRY(builder.finish(modifiers));
  if (!type || form.operation.empty()) return builder.error("has no operation or no type");
  form.type = *type;
  const bool small = type->bits == 16 && type->kind != TypeKind::kBits;
  if (small != noftz) return builder.error("16-bit floats, and they alone, take .noftz");
  form.handler = find_handler(form.operation, form.type, form.space, form.count > 1);
  if (form.count > 1 && form.space == Space::kShared) form.handler = nullptr;
  if (form.count * form.type.total_bits() > 128) form.handler = nullptr;
  if (form.handler == nullptr) return builder.error("no such atomic operation exists");
  return form;
}

// The slots of an operand's elements.
Result<std::array<Slot, 8>> slots_of(Builder& builder, const ptx::Operand& operand,
                                     const AtomicForm& form, bool result) {
  std::array<Slot, 8> slots{};
  const auto* vector = std::get_if<ptx::Vector>(&operand);
  if (vector == nullptr ? form.count != 1 : vector->elements.size() != form.count) {
    return builder.error(fmt::format("takes {} elements", form.count));
  }
  for (unsigned i = 0; i < form.count; ++i) {
    const ptx::Operand& element = vector == nullptr ? operand : vector->elements[i];
    EGPU_ASSIGN(slots[i],
                result ? builder.write(element, form.type) : builder.read(element, form.type));
  }
  return slots;
}

Result<void> translate(Builder& builder, const ptx::Instruction& instruction, bool has_result) {
  EGPU_ASSIGN(const AtomicForm form, take_form(builder, instruction));
  const bool compare = form.operation == "cas";
  if (!has_result && (compare || form.operation == "exch")) {
    return builder.error("no such reduction exists");
  }
  const std::size_t first = has_result ? 1 : 0;  // the address
  const std::size_t count = first + 2 + (compare ? 1 : 0) + (form.cache_policy ? 1 : 0);
  EGPU_TRY(builder.operands(instruction, count, count));
  const auto& operands = instruction.operands;
  EGPU_ASSIGN(const AddressSlot address, address_in(builder, operands[first], form.space));
  AtomicAccess how{.resolve = resolver(form.space, address.wide),
                   .shared = form.space == Space::kShared,
                   .count = form.count};
  how.results.fill(kNoSlot);
  if (has_result && !is_sink(operands[0])) {
    EGPU_ASSIGN(how.results, slots_of(builder, operands[0], form, true));
  }
  EGPU_ASSIGN(how.sources, slots_of(builder, operands[first + 1], form, false));
  Op op{.handler = form.handler, .a = address.slot, .immediate = address.offset};
  if (compare) {
    EGPU_ASSIGN(op.c, builder.read(operands[first + 2], form.type));
  }
  if (form.cache_policy) EGPU_TRY(check_cache_policy(builder, operands.back()));
  op.extra = builder.keep(how);
  builder.emit(op);
  return {};
}

Result<void> translate_atom(Builder& builder, const ptx::Instruction& instruction) {
  return translate(builder, instruction, true);
}
Result<void> translate_red(Builder& builder, const ptx::Instruction& instruction) {
  return translate(builder, instruction, false);
}

constexpr Translation kTable[] = {
    {"atom", translate_atom},
    {"red", translate_red},
};

}  // namespace

TranslationTable atomic_table() { return kTable; }

}  // namespace egpu::emu
