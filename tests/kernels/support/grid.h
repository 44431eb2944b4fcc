// Kernels that are launched by hand.
#pragma once

#include "cases.h"
#include "inputs.h"

namespace kernels {

// The thread's index in the grid, and the number of threads. One-dimensional.
__device__ inline unsigned global_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline unsigned global_size() { return gridDim.x * blockDim.x; }

// Mixes a word: a stand-in for work whose result depends on everything before it.
__host__ __device__ inline std::uint32_t mix(std::uint32_t a) {
  a ^= a >> 16;
  a *= 0x7feb352d;
  a ^= a >> 15;
  a *= 0x846ca68b;
  return a ^ (a >> 16);
}

}  // namespace kernels

using kernels::global_index;
using kernels::global_size;
using kernels::mix;
