// The initial values of variables: = 5, = {{1, 2}, {3}}, = generic(table) + 8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "emu/layout.h"
#include "emu/symbols.h"
#include "ptx/ast.h"

namespace egpu::emu {

// As extent_of(); an open first dimension ("[]", "[][4]") is as long as the initial value.
std::optional<Extent> extent_with_value(const ptx::Declaration& declaration,
                                        const ptx::Declarator& declarator);

// Writes the initial value to the variable's bytes, which are zero. `symbols`: with the addresses
// of all variables. Fails, naming the place, for what it does not know.
Result<void> initialise(const ptx::Declaration& declaration, const ptx::Declarator& declarator,
                        const Symbols& symbols, const ptx::Module& module,
                        std::span<std::byte> bytes);

}  // namespace egpu::emu
