// Case files: what raw programs must do, for every engine that runs them. The format is described
// in docs/instruction-set.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace egpu::bpf {

struct IsaCase {
  std::string name;  // "shifts.case:12: lsh64 register"
  std::vector<std::byte> code;
  std::vector<std::byte> memory;                // before
  std::optional<std::vector<std::byte>> after;  // nothing: not looked at
  std::uint64_t result = 0;                     // r0
  std::string refusal;  // a part of the message; empty where the program runs
};

// One for each row of the file. Errors name file and line.
Result<std::vector<IsaCase>> load_isa_cases(const std::filesystem::path& file);

}  // namespace egpu::bpf
