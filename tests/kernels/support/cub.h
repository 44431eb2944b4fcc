// Calls of CUB's device-wide algorithms: once to learn how much memory they need, once to run.
#pragma once

#include "cases.h"
#include "inputs.h"

namespace kernels {

// `algorithm(memory, bytes)` returns a cudaError_t.
template <class Algorithm>
void with_memory(Algorithm algorithm) {
  std::size_t bytes = 0;
  CHECK(algorithm(nullptr, bytes));
  const Buffer<unsigned char> memory(bytes);
  CHECK(algorithm(memory.get(), bytes));
  CHECK(cudaDeviceSynchronize());
}

}  // namespace kernels

using kernels::with_memory;
