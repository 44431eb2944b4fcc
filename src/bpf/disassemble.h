// Instructions as text, in the style of the kernel's verifier log: "r0 = *(u32 *)(r1 +4)".
#pragma once

#include <string>

#include "bpf/instruction.h"

namespace egpu::bpf {

// Jump targets are instruction indexes: "if r1 != 0 goto 7". Maps are "map[0]".
std::string to_string(const Instruction& instruction);

}  // namespace egpu::bpf
