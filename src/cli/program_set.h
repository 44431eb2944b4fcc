// An eBPF object whose every program passed the checker.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "bpf/object.h"
#include "cli/installation.h"
#include "verifier/check.h"

namespace egpu::cli {

struct ProgramSet {
  std::unique_ptr<bpf::Object> object;  // `checked` points into it
  std::vector<verifier::CheckedProgram> checked;
  std::vector<Error> refused;  // why programs did not pass; then `checked` lacks them
};

// Loads TOOL|OBJECT, sets its variables as `settings` (NAME=VALUE) say, and checks all programs.
// Fails where the file cannot be loaded or a variable not be set; what the checker says is in the
// result.
Result<ProgramSet> load_programs(const Installation& installation, const std::string& tool_or_path,
                                 const std::vector<std::string>& settings);

}  // namespace egpu::cli
