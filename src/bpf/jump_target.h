// Where an instruction may jump to.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "bpf/instruction.h"

namespace egpu::bpf {

// The index a jump goes to, where its condition holds if it has one; nothing for any other
// instruction.
inline std::optional<std::uint32_t> jump_target(const Instruction& instruction) {
  if (const auto* const jump = std::get_if<Jump>(&instruction)) return jump->target;
  if (const auto* const jump = std::get_if<JumpIf>(&instruction)) return jump->target;
  return std::nullopt;
}

}  // namespace egpu::bpf
