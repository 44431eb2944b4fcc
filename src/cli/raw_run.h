// One raw program on one engine: code that nothing has checked, in a process of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "codegen/host_jit.h"
#include "cuda/raw_kernels.h"

namespace egpu::cli {

// Where something is in a raw program, for messages: "instruction slot 7".
std::string slot_place(std::uint32_t slot);

// The outcome's text is r0 in hexadecimal; what the program writes to `memory` is lost. Call these
// from a process with one thread.
Result<Outcome> run_on_host(const codegen::HostProgram& program, std::span<std::byte> memory,
                            std::chrono::milliseconds limit);

// A GPU, or what stands in for one.
struct Gpu {
  std::filesystem::path driver;  // the library to load
  std::string name;              // "GPU"
};

// `ptx`: what codegen::generate_raw_kernels() made of one program. The limit is the program's;
// driver and context may take kGpuStart more.
Result<Outcome> run_on_gpu(const Gpu& gpu, const std::string& ptx,
                           const std::vector<std::byte>& memory, std::chrono::milliseconds limit);

// A GPU that was idle takes seconds, a host with many of them more.
inline constexpr std::chrono::seconds kGpuStart{60};

// Why there is no r0. `outcome`: did not return.
Error describe(const cuda::RawOutcome& outcome, std::size_t memory_bytes,
               std::chrono::milliseconds limit);

}  // namespace egpu::cli
