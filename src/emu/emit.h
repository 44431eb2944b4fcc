// What translators of arithmetic share.
#pragma once

#include <initializer_list>
#include <string>

#include "base/result.h"
#include "emu/builder.h"
#include "emu/type_dispatch.h"
#include "ptx/ast.h"

namespace egpu::emu {

// The instruction's type; an Error where it names none.
Result<ValueType> need_type(const Builder& builder, Modifiers& modifiers);

// The last step of most translators: refuses modifiers that are left, a null handler ("has no type
// .b16"), and another number of operands; then emits one Op that gives the first operand, of type
// `result`, from the others. At most four sources: Op::a, b, c and, as a slot, Op::immediate.
Result<void> emit_lanewise(Builder& builder, const ptx::Instruction& instruction,
                           const Modifiers& modifiers, Handler handler, ValueType result,
                           std::initializer_list<ValueType> sources);
// The same for an Op with more than a handler; its operands are filled in.
Result<void> emit_lanewise(Builder& builder, const ptx::Instruction& instruction,
                           const Modifiers& modifiers, Op op, ValueType result,
                           std::initializer_list<ValueType> sources);

// The Op alone, for results and sources that are slots already.
Slot emit_to_scratch(Builder& builder, Handler handler, unsigned bits, Slot a, Slot b = kNoSlot,
                     Slot c = kNoSlot);

}  // namespace egpu::emu
