// ld, ldu, st: all state spaces but .param, which belongs to the function translator.
#include <fmt/format.h>

#include "emu/load_store.h"
#include "emu/memory_modifiers.h"
#include "emu/select.h"

namespace egpu::emu {
namespace {

// The elements of {a, b, ...}, or the operand alone.
std::vector<const ptx::Operand*> elements_of(const ptx::Operand& operand) {
  std::vector<const ptx::Operand*> elements;
  if (const auto* vector = std::get_if<ptx::Vector>(&operand)) {
    for (const ptx::Operand& element : vector->elements) elements.push_back(&element);
  } else {
    elements.push_back(&operand);
  }
  return elements;
}

// The slots of a load's results or a store's sources, and the width they share.
struct Elements {
  std::array<Slot, 8> slots{};
  unsigned count = 0;
  unsigned register_bits = 0;
};

unsigned natural_width(ValueType type) { return std::max<unsigned>(type.bits, 16); }

Result<Elements> elements(Builder& builder, Direction direction, const ptx::Operand& operand,
                          unsigned count, ValueType type) {
  const auto parts = elements_of(operand);
  if (parts.size() != count) {
    return builder.error(fmt::format("takes {} elements, not {}", count, parts.size()));
  }
  const bool load = direction == Direction::kLoad;
  Elements result{.count = count};
  for (unsigned i = 0; i < count; ++i) {
    const ptx::Operand& part = *parts[i];
    if (load && is_sink(part)) {
      result.slots[i] = kNoSlot;
      continue;
    }
    EGPU_ASSIGN(result.slots[i],
                load ? builder.write(part, type, true) : builder.read(part, type, true));
    const unsigned bits = builder.width_of(part).value_or(natural_width(type));
    if (result.register_bits != 0 && result.register_bits != bits) {
      return builder.error("the registers of a vector have different widths");
    }
    result.register_bits = bits;
  }
  // Nobody wants any of it; the access is made all the same.
  if (result.register_bits == 0) result.register_bits = natural_width(type);
  return result;
}

Result<ValueType> memory_type(const Builder& builder, Modifiers& modifiers) {
  const auto type = modifiers.take_type();
  const bool known = type && type->elements == 1 && type->bits >= 8 &&
                     type->kind != TypeKind::kBrainFloat &&
                     (type->kind != TypeKind::kFloat || type->bits >= 32);
  if (!known) return builder.error("has no type that memory holds");
  return *type;
}

Result<void> emit_access(Builder& builder, Direction direction, const ptx::Operand& value,
                         const ptx::Operand& address_operand, const MemoryModifiers& how,
                         unsigned count, ValueType type) {
  const bool load = direction == Direction::kLoad;
  EGPU_ASSIGN(const AddressSlot address, address_in(builder, address_operand, how.space));
  EGPU_ASSIGN(const Elements parts, elements(builder, direction, value, count, type));
  const ElementShape shape{type.bits, parts.register_bits, type.kind == TypeKind::kSigned};
  Op op{.a = address.slot, .immediate = address.offset};
  if (count == 1 && !how.strong && parts.slots[0] != kNoSlot) {
    op.handler = load ? load_handler(how.space, address.wide, shape)
                      : store_handler(how.space, address.wide, shape);
    (load ? op.dst : op.b) = parts.slots[0];
  } else {
    VectorAccess vector =
        vector_access(direction, how.space, address.wide, shape, count, how.strong);
    vector.registers = parts.slots;
    op.extra = builder.keep(vector);
    if (vector.copy != nullptr) op.handler = load ? load_vector : store_vector;
  }
  if (op.handler == nullptr) return builder.error("no such access exists");
  builder.emit(op);
  return {};
}

Result<void> translate_load(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const MemoryModifiers how, take_memory_modifiers(builder, modifiers, Spaces::kLoad));
  const unsigned count = take_vector(modifiers);
  EGPU_ASSIGN(const ValueType type, memory_type(builder, modifiers));
  EGPU_TRY(builder.finish(modifiers));
  const std::size_t operands = how.cache_policy ? 3 : 2;
  EGPU_TRY(builder.operands(instruction, operands, operands));
  if (how.cache_policy) EGPU_TRY(check_cache_policy(builder, instruction.operands[2]));
  return emit_access(builder, Direction::kLoad, instruction.operands[0], instruction.operands[1],
                     how, count, type);
}

Result<void> translate_store(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const MemoryModifiers how, take_memory_modifiers(builder, modifiers, Spaces::kStore));
  const unsigned count = take_vector(modifiers);
  EGPU_ASSIGN(const ValueType type, memory_type(builder, modifiers));
  EGPU_TRY(builder.finish(modifiers));
  const std::size_t operands = how.cache_policy ? 3 : 2;
  EGPU_TRY(builder.operands(instruction, operands, operands));
  if (how.cache_policy) EGPU_TRY(check_cache_policy(builder, instruction.operands[2]));
  return emit_access(builder, Direction::kStore, instruction.operands[1], instruction.operands[0],
                     how, count, type);
}

constexpr Translation kTable[] = {
    {"ld", translate_load},
    {"ldu", translate_load},
    {"st", translate_store},
};

}  // namespace

TranslationTable memory_table() { return kTable; }

}  // namespace egpu::emu
