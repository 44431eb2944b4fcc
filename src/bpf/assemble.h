// Text -> instructions: the inverse of bpf/disassemble.h.
//
// One instruction a line, as to_string() writes it; blank lines and what follows a `#` are skipped.
// For people there is more than to_string() needs:
//   - numbers may be written in decimal or with 0x; a 32-bit one also as its unsigned bits
//     (0xffffffff);
//   - `name:` before an instruction names it, and jumps and calls may give a name for the index.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "bpf/instruction.h"

namespace egpu::bpf {

// Errors name the line, counted from 1. Targets are not checked: bpf/encode.h does that.
Result<std::vector<Instruction>> assemble(std::string_view text);

}  // namespace egpu::bpf
