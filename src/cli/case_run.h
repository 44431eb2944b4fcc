// Case files (bpf/isa_cases.h) on the engines of this machine.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "cli/raw_run.h"

namespace egpu::cli {

// Runs every row of the files by the host JIT and, where one is given, on a GPU, each with and
// without optimisation, and compares with what the row expects. The outcome's text is a line for
// each difference, then one that counts; its exit code is 1 where rows differ. In a process of its
// own.
Result<Outcome> run_cases(const std::vector<std::filesystem::path>& files,
                          const std::optional<Gpu>& gpu);

}  // namespace egpu::cli
