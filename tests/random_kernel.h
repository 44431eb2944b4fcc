// Random kernels in PTX: divergent control flow, calls, barriers, shared, local and constant
// memory, atomics, operations of warps, and computations of every width. Each thread writes what it
// has in registers and memory to its part of the output; what threads have in common changes by
// operations whose order does not matter. So the results are the same in every run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace egpu {

using Extent = std::array<std::uint32_t, 3>;

// The entry is k(.param .u64 input, .param .u64 output, .param .u64 totals).
struct RandomKernel {
  std::string ptx;
  Extent grid;
  Extent block;
  std::vector<std::byte> input;
  std::vector<std::byte> totals;   // before the launch
  std::uint32_t output_bytes = 0;  // of each thread
  // Threads know only their number in the grid: how it is divided into blocks does not matter.
  bool independent = false;
};

// Deterministic.
RandomKernel make_random_kernel(std::uint64_t seed);

}  // namespace egpu
