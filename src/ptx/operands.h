// Operands of one instruction.
#pragma once

#include <vector>

#include "base/result.h"
#include "ptx/ast.h"
#include "ptx/cursor.h"
#include "ptx/registers.h"

namespace egpu::ptx {

// From behind the opcode up to, not including, the ';'. An operand of unknown shape becomes a
// RawOperand; fails only where the instruction does not end.
Result<std::vector<Operand>> parse_operands(Cursor& cursor, const RegisterScopes& registers,
                                            const Opcode& opcode);

}  // namespace egpu::ptx
