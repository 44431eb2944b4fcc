// CUDA calls that must not fail in test and benchmark programs: a failed kernel looks fast.
#pragma once

#include <cstdio>
#include <cstdlib>

#ifdef __CUDACC__
#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t error_ = (call);                                   \
    if (error_ != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error_));                          \
      std::exit(3);                                                      \
    }                                                                    \
  } while (0)
#else
#define CHECK(call)                                                                     \
  do {                                                                                  \
    const CUresult error_ = (call);                                                     \
    if (error_ != CUDA_SUCCESS) {                                                       \
      std::fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, error_); \
      std::exit(3);                                                                     \
    }                                                                                   \
  } while (0)
#endif
