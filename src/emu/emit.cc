#include "emu/emit.h"

#include <array>

namespace egpu::emu {

Result<ValueType> need_type(const Builder& builder, Modifiers& modifiers) {
  if (const auto type = modifiers.take_type()) return *type;
  return builder.error("names no type that is known");
}

Result<void> emit_lanewise(Builder& builder, const ptx::Instruction& instruction,
                           const Modifiers& modifiers, Handler handler, ValueType result,
                           std::initializer_list<ValueType> sources) {
  return emit_lanewise(builder, instruction, modifiers, Op{.handler = handler}, result, sources);
}

Result<void> emit_lanewise(Builder& builder, const ptx::Instruction& instruction,
                           const Modifiers& modifiers, Op op, ValueType result,
                           std::initializer_list<ValueType> sources) {
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 1 + sources.size(), 1 + sources.size()));
  if (op.handler == nullptr) return builder.error("does not exist for this type");

  std::array<Slot, 4> slots{kNoSlot, kNoSlot, kNoSlot, kNoSlot};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    EGPU_ASSIGN(slots[i], builder.read(instruction.operands[1 + i], sources.begin()[i]));
  }
  op.a = slots[0];
  op.b = slots[1];
  op.c = slots[2];
  op.immediate = slots[3];
  EGPU_ASSIGN(op.dst, builder.write(instruction.operands[0], result));
  builder.emit(op);
  return {};
}

Slot emit_to_scratch(Builder& builder, Handler handler, unsigned bits, Slot a, Slot b, Slot c) {
  const Slot dst = builder.scratch(bits);
  builder.emit({.handler = handler, .dst = dst, .a = a, .b = b, .c = c});
  return dst;
}

}  // namespace egpu::emu
