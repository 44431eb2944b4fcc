// Runs native code that nothing has checked, so that whatever it does is an Error and not our end.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "codegen/host_jit.h"

namespace egpu::cli {

// Runs `program` on `memory` in a child process. What it writes there is lost with the child. Call
// it from a process with one thread.
Result<std::uint64_t> run_isolated(const codegen::HostProgram& program, std::span<std::byte> memory,
                                   std::chrono::milliseconds limit);

}  // namespace egpu::cli
