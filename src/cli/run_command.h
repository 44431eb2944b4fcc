// `egpu run`: a program with probes in its kernels, and what their maps hold when it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/machine.h"

namespace egpu::cli {

struct RunOptions {
  std::string object;                      // TOOL|OBJECT
  std::vector<std::string> settings = {};  // NAME=VALUE
  std::vector<std::string> command;        // the program and its arguments
  bool json = false;
  std::string output = {};  // file for the report; empty: standard output
  std::size_t top = 0;      // entries shown of a map with keys; 0: all
  std::uint32_t interval_ms = 1000;
  std::uint32_t max_wait_ms = 10'000;
  bool emulate = false;  // in egpu's emulator, without a GPU
  bool no_cache = false;
  bool verbose = false;
};

// For tests that bring their own CUDA driver to a machine without a GPU: set to 1, the search for
// device nodes is left out.
inline constexpr char kAssumeGpuVariable[] = "EGPU_ASSUME_GPU";

// Whether a run without `emulate` is tried here.
bool can_use_gpu(const Machine& machine);

Result<Outcome> run_command(const Context& context, const Machine& machine,
                            const RunOptions& options);

}  // namespace egpu::cli
