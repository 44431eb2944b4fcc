// Instruction values -> 8-byte slots: the inverse of bpf/decode.h.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"
#include "bpf/decode.h"
#include "bpf/instruction.h"

namespace egpu::bpf {

struct EncodedProgram {
  std::vector<std::byte> code;
  std::vector<Reference> references;  // sorted by slot; what has no encoding of its own
};

// Fails where a jump is too far for its 16 bits or leaves the program.
Result<EncodedProgram> encode(std::span<const Instruction> instructions);

}  // namespace egpu::bpf
