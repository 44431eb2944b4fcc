// c = a + b, through the CUDA driver API. Usage: vec_add_driver MODULE [ELEMENTS [LAUNCHES]]
// MODULE: a fatbin, cubin or PTX file made from vec_add_kernel.cu. Prints as VecAddData::report()
// says.
#include <cuda.h>

#include "check.h"
#include "vec_add_data.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: vec_add_driver MODULE [ELEMENTS [LAUNCHES]]\n");
    return 3;
  }
  std::size_t n = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1'000'000;
  const unsigned long launches = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1;
  constexpr unsigned kBlock = 512;
  const auto grid = static_cast<unsigned>((n + kBlock - 1) / kBlock);

  CHECK(cuInit(0));
  CUdevice device;
  CHECK(cuDeviceGet(&device, 0));
  CUcontext context;
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CUmodule module;
  CHECK(cuModuleLoad(&module, argv[1]));
  CUfunction function;
  CHECK(cuModuleGetFunction(&function, module, "vec_add"));

  VecAddData host(n);
  const std::size_t bytes = n * sizeof(float);
  CUdeviceptr a, b, c;
  CHECK(cuMemAlloc(&a, bytes));
  CHECK(cuMemAlloc(&b, bytes));
  CHECK(cuMemAlloc(&c, bytes));
  CHECK(cuMemcpyHtoD(a, host.a.data(), bytes));
  CHECK(cuMemcpyHtoD(b, host.b.data(), bytes));
  void* arguments[] = {&a, &b, &c, &n};
  for (unsigned long i = 0; i < launches; ++i)
    CHECK(cuLaunchKernel(function, grid, 1, 1, kBlock, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH(host.c.data(), c, bytes));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
  return host.report(launches, static_cast<unsigned long long>(launches) * grid * kBlock);
}
