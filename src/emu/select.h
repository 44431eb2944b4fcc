// The translator of each opcode.
#pragma once

#include <string_view>

#include "emu/builder.h"

namespace egpu::emu {

using Translator = Result<void> (*)(Builder& builder, const ptx::Instruction& instruction);

struct Translation {
  std::string_view opcode;  // before the first dot: "add"
  Translator translate;
};

// The translator of an opcode, or null where the executor does not know it. Each emu/ops_*.cc
// has a table of its own; control flow is the function translator's business.
Translator find_translator(std::string_view opcode);

}  // namespace egpu::emu
