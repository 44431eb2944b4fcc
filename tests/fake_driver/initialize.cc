// Initialisation, injection and the end of the driver.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "abi/protocol.h"
#include "entry.h"
#include "state.h"

namespace fake_cuda {
namespace {

void write_record() {
  const char* path = std::getenv("FAKE_CUDA_RECORD");
  std::FILE* file = path != nullptr ? std::fopen(path, "a") : nullptr;
  if (file == nullptr) return;
  for (const auto& [name, record] : state().records) {
    std::fprintf(file, "%s %lu %lu\n", name.c_str(), record.launches, record.threads);
    for (const auto& [attribute, value] : record.attributes)
      std::fprintf(file, "%s attribute %d %d\n", name.c_str(), attribute, value);
  }
  std::fclose(file);
}

void shut_down() {
  const std::lock_guard lock(state().mutex);
  write_record();
  state().deinitialized = true;
}

void inject() {
  const char* path = std::getenv(egpu::abi::kInjectionVariable);
  if (path == nullptr) return;
  void* library = ::dlopen(path, RTLD_NOW);
  if (library == nullptr) return;
  using Initialize = int (*)();
  if (const auto initialize = reinterpret_cast<Initialize>(::dlsym(library, "InitializeInjection")))
    initialize();
}

}  // namespace

extern "C" {

cuda::Status fake_cuInit(unsigned) {
  if (const cuda::Status status = setting("FAKE_CUDA_FAIL_INIT"); status != cuda::kSuccess)
    return status;
  {
    const std::lock_guard lock(state().mutex);
    if (state().initialized) return cuda::kSuccess;
    state().initialized = true;
  }
  const bool exits_first = setting("FAKE_CUDA_EXITS_FIRST") != 0;
  if (!exits_first) std::atexit(shut_down);
  inject();
  if (exits_first) std::atexit(shut_down);
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuInit);

// A few names will do.
cuda::Status fake_cuGetErrorName(cuda::Status status, const char** name) {
  *name = status == cuda::kInvalidImage ? "CUDA_ERROR_INVALID_IMAGE" : "CUDA_ERROR_UNKNOWN";
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuGetErrorName);

cuda::Status fake_cuDriverGetVersion(int* version) {
  *version = 13000;
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuDriverGetVersion);

cuda::Status fake_cuDeviceGet(cuda::Device* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? check_driver() : cuda::kInvalidValue;
}
FAKE_CUDA_EXPORT(cuDeviceGet);

cuda::Status fake_cuDeviceGetAttribute(int* value, cuda::DeviceAttribute attribute, cuda::Device) {
  switch (attribute) {
    case cuda::kMultiprocessorCount:
      *value = 4;
      break;
    case cuda::kComputeCapabilityMajor:
      *value = 9;
      break;
    case cuda::kComputeCapabilityMinor:
      *value = 0;
      break;
    default:
      return cuda::kInvalidValue;
  }
  return check_driver();
}
FAKE_CUDA_EXPORT(cuDeviceGetAttribute);

cuda::Status fake_cuDeviceGetName(char* name, int size, cuda::Device) {
  std::snprintf(name, static_cast<std::size_t>(size), "Test double");
  return check_driver();
}
FAKE_CUDA_EXPORT(cuDeviceGetName);

cuda::Status fake_cuDeviceGetUuid_v2(cuda::Uuid* uuid, cuda::Device) {
  std::memset(uuid->bytes, 0xd0, sizeof uuid->bytes);
  return check_driver();
}
FAKE_CUDA_EXPORT(cuDeviceGetUuid_v2);

}  // extern "C"
}  // namespace fake_cuda
