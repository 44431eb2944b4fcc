#include "demo/gpu.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace demo {
namespace {

Driver load_driver() {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "no CUDA driver: %s\n", ::dlerror());
    std::exit(1);
  }
  Driver driver;
#define DEMO_FIND(name, ...) \
  driver.name = reinterpret_cast<cuda::Pointer<__VA_ARGS__>>(::dlsym(library, #name));
  DEMO_FUNCTIONS(DEMO_FIND)
#undef DEMO_FIND
  return driver;
}

}  // namespace

Gpu::Gpu(const std::string& module) : driver_(load_driver()) {
  cuda::Device device = 0;
  cuda::Context context = nullptr;
  check(driver_.cuInit(0), "cuInit");
  check(driver_.cuDeviceGet(&device, 0), "cuDeviceGet");
  check(driver_.cuDeviceGetName(name_.data(), static_cast<int>(name_.size()), device),
        "cuDeviceGetName");
  check(driver_.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check(driver_.cuCtxSetCurrent(context), "cuCtxSetCurrent");
  check(driver_.cuModuleLoad(&module_, module.c_str()), "cuModuleLoad");
}

cuda::DevicePointer Gpu::allocate(std::size_t bytes) const {
  cuda::DevicePointer memory = 0;
  check(driver_.cuMemAlloc_v2(&memory, bytes), "cuMemAlloc");
  check(driver_.cuMemsetD8_v2(memory, 0, bytes), "cuMemsetD8");
  return memory;
}

void Gpu::write(cuda::DevicePointer memory, const void* from, std::size_t bytes) const {
  check(driver_.cuMemcpyHtoD_v2(memory, from, bytes), "cuMemcpyHtoD");
}

void Gpu::read(cuda::DevicePointer memory, void* to, std::size_t bytes) const {
  wait();
  check(driver_.cuMemcpyDtoH_v2(to, memory, bytes), "cuMemcpyDtoH");
}

cuda::Function Gpu::kernel(const char* name) const {
  cuda::Function function = nullptr;
  check(driver_.cuModuleGetFunction(&function, module_, name), name);
  return function;
}

void Gpu::launch(cuda::Function kernel, unsigned blocks, unsigned threads,
                 std::vector<void*> parameters) const {
  check(driver_.cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, nullptr, parameters.data(),
                               nullptr),
        "cuLaunchKernel");
}

void Gpu::wait() const { check(driver_.cuCtxSynchronize(), "cuCtxSynchronize"); }

void Gpu::check(cuda::Status status, const char* what) const {
  if (status == cuda::kSuccess) return;
  const char* name = nullptr;
  driver_.cuGetErrorName(status, &name);
  std::fprintf(stderr, "%s: %s\n", what, name != nullptr ? name : "unknown error");
  std::exit(1);
}

}  // namespace demo
