// Assembling with the ptxas of a CUDA toolkit, as a child process in a private directory.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/result.h"
#include "session/assembler.h"

namespace egpu::session {

// Executable files called ptxas: on PATH, in CUDA_HOME, in the toolkit, in this order.
std::vector<std::filesystem::path> ptxas_candidates(const AssemblerSearch& search);

// Asks it for its version, an Error where it has none. `timeout` bounds every run.
Result<std::shared_ptr<const AssemblerBackend>> open_ptxas(const std::filesystem::path& program,
                                                           std::chrono::milliseconds timeout);

}  // namespace egpu::session
