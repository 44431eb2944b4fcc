// Facts about a cubin (ELF64, machine 190) that decide whether a member can be used and which PTX
// is its source.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"

namespace egpu::fatbin {

inline constexpr std::uint16_t kCudaMachine = 190;  // EM_CUDA
inline constexpr std::size_t kCubinHeaderBytes = 64;

struct CubinHeader {
  std::uint32_t architecture;  // 90 for sm_90 and sm_90a
  bool relocatable;            // from -rdc: not loadable before it is linked
};

// From the first kCubinHeaderBytes of a cubin.
Result<CubinHeader> read_cubin_header(Bytes start_untrusted);

// The architecture of the PTX that the cubin was assembled from: `-gencode
// arch=compute_80,code=sm_90` gives 80.
Result<std::uint32_t> virtual_architecture(Bytes cubin_untrusted);

}  // namespace egpu::fatbin
