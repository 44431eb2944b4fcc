// The functions of the CUDA driver that the demo calls, found at run time: it is built where there
// is no driver.
#pragma once

#include "cuda/driver_table.h"

namespace demo {

namespace cuda = egpu::cuda;

// X(name, signature): names and signatures of cuda.h.
#define DEMO_FUNCTIONS(X)                                                                          \
  X(cuInit, cuda::Status(unsigned))                                                                \
  X(cuDeviceGet, cuda::Status(cuda::Device*, int))                                                 \
  X(cuDeviceGetName, cuda::Status(char*, int, cuda::Device))                                       \
  X(cuDevicePrimaryCtxRetain, cuda::Status(cuda::Context*, cuda::Device))                          \
  X(cuCtxSetCurrent, cuda::Status(cuda::Context))                                                  \
  X(cuModuleLoad, cuda::Status(cuda::Module*, const char*))                                        \
  X(cuModuleGetFunction, cuda::Status(cuda::Function*, cuda::Module, const char*))                 \
  X(cuMemAlloc_v2, cuda::Status(cuda::DevicePointer*, std::size_t))                                \
  X(cuMemsetD8_v2, cuda::Status(cuda::DevicePointer, unsigned char, std::size_t))                  \
  X(cuMemcpyHtoD_v2, cuda::Status(cuda::DevicePointer, const void*, std::size_t))                  \
  X(cuMemcpyDtoH_v2, cuda::Status(void*, cuda::DevicePointer, std::size_t))                        \
  X(cuLaunchKernel, cuda::Status(cuda::Function, unsigned, unsigned, unsigned, unsigned, unsigned, \
                                 unsigned, unsigned, cuda::Stream, void**, void**))                \
  X(cuCtxSynchronize, cuda::Status())                                                              \
  X(cuGetErrorName, cuda::Status(cuda::Status, const char**))

struct Driver {
#define DEMO_MEMBER(name, ...) cuda::Pointer<__VA_ARGS__> name = nullptr;
  DEMO_FUNCTIONS(DEMO_MEMBER)  // NOLINT(readability-identifier-naming): the driver's names
#undef DEMO_MEMBER
};

}  // namespace demo
