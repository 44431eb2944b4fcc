// Raw eBPF programs -> kernels (PTX), by the lowering that also makes host code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "bpf/decode.h"
#include "codegen/optimization.h"

namespace egpu::codegen {

struct RawProgram {
  bpf::DecodedProgram program;
  bpf::SlotPlace place;
};

// "egpu_raw_0"
std::string raw_kernel_name(std::size_t program);

// A PTX module for sm_70 with one entry for each program, called raw_kernel_name(i), to be launched
// as abi/raw_kernel.h says. Refuses what bpf::find_subprograms() refuses, and calls of helpers.
// Deterministic: same input, same bytes. Thread-safe.
Result<std::string> generate_raw_kernels(std::span<const RawProgram> programs,
                                         Optimization optimization = Optimization::kFull);

}  // namespace egpu::codegen
