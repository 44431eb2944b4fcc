// Which registers may still be read, by backward data flow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bpf/instruction.h"
#include "verifier/backward_flow.h"

namespace egpu::verifier {

// Per instruction: bit i is set where r<i> may be read from there on, before it is written. Jumps
// lie inside.
std::vector<RegisterSet> live_registers(std::span<const bpf::Instruction> program);

}  // namespace egpu::verifier
