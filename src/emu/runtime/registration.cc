// What nvcc's generated code calls: registration when a program or library is loaded, and the two
// halves of kernel<<<...>>>(...). Signatures: crt/host_runtime.h of CUDA 13.0.
#include <vector>

#include "emu/runtime/call.h"
#include "emu/runtime/launch.h"
#include "emu/runtime/registry.h"

namespace egpu::emu::runtime {
namespace {

struct Configuration {
  Dim3 grid, block;
  std::size_t shared_bytes;
  cuda::Stream stream;
};

// A stack, as an argument of a launch may launch itself.
thread_local std::vector<Configuration> configurations;

FatBinary* binary_of(void** handle) { return reinterpret_cast<FatBinary*>(handle); }

}  // namespace

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the runtime's names
#define EGPU_REGISTRATION extern "C" [[gnu::visibility("default")]]

EGPU_REGISTRATION void** __cudaRegisterFatBinary(void* wrapper) {
  return reinterpret_cast<void**>(add_fat_binary(wrapper));
}

// All has been registered: nothing is left to do, as nothing is loaded before it is used.
EGPU_REGISTRATION void __cudaRegisterFatBinaryEnd(void**) {}

EGPU_REGISTRATION void __cudaUnregisterFatBinary(void** handle) {
  remove_fat_binary(binary_of(handle));
}

EGPU_REGISTRATION void __cudaRegisterFunction(void** handle, const char* host, char*,
                                              const char* name, int, void*, void*, void*, void*,
                                              int*) {
  add_function(binary_of(handle), host, name);
}

EGPU_REGISTRATION void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int,
                                         std::size_t bytes, int, int) {
  add_variable(binary_of(handle), host, name, bytes);
}

EGPU_REGISTRATION void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name,
                                                int, std::size_t bytes, int, int) {
  add_variable(binary_of(handle), static_cast<const void*>(host), name, bytes);
  add_managed_variable(binary_of(handle), host, name);
}

// Called before the host first looks at a managed variable. Not zero: it is there.
EGPU_REGISTRATION char __cudaInitModule(void** handle) {
  return static_cast<char>(in_context([&]() -> Error { return load(binary_of(handle)); }) ==
                           kSuccess);
}

// Zero: the kernel's stub shall be called.
EGPU_REGISTRATION unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block,
                                                       std::size_t shared_bytes,
                                                       cuda::Stream stream) {
  configurations.push_back({grid, block, shared_bytes, stream});
  return 0;
}

EGPU_API __cudaPopCallConfiguration(Dim3* grid, Dim3* block, std::size_t* shared_bytes,
                                    void* stream) {
  if (configurations.empty()) return remember(kMissingConfiguration);
  const Configuration& top = configurations.back();
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  *static_cast<cuda::Stream*>(stream) = top.stream;
  configurations.pop_back();
  return kSuccess;
}

EGPU_API __cudaGetKernel(cuda::Kernel* kernel, const void* function) {
  return in_context([&]() -> Error { return find_kernel(function, *kernel); });
}

EGPU_API_FORMS(__cudaLaunchKernel, _ptsz,
               (cuda::Kernel kernel, Dim3 grid, Dim3 block, void** arguments,
                std::size_t shared_bytes, cuda::Stream stream),
               (kernel, grid, block, arguments, shared_bytes, stream)) {
  // The kernel was not found: __cudaGetKernel has said why, and the stub goes on.
  if (kernel == nullptr) return last_error();
  return launch(kernel, {grid, block, shared_bytes, stream}, arguments, per_thread);
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

}  // namespace egpu::emu::runtime
