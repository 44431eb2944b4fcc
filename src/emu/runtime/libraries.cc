// Libraries that the program loads itself, and functions of the driver by name.
#include "emu/runtime/call.h"
#include "emu/runtime/registry.h"

namespace egpu::emu::runtime {

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
EGPU_API cudaLibraryLoadData(cuda::Library* library, const void* code, cuda::JitOption* jit,
                             void** jit_values, unsigned jit_count, cuda::LibraryOption* options,
                             void** option_values, unsigned option_count) {
  return in_context([&]() -> Error {
    return cuLibraryLoadData(library, code, jit, jit_values, jit_count, options, option_values,
                             option_count);
  });
}

EGPU_API cudaLibraryLoadFromFile(cuda::Library* library, const char* path, cuda::JitOption* jit,
                                 void** jit_values, unsigned jit_count,
                                 cuda::LibraryOption* options, void** option_values,
                                 unsigned option_count) {
  return in_context([&]() -> Error {
    return cuLibraryLoadFromFile(library, path, jit, jit_values, jit_count, options, option_values,
                                 option_count);
  });
}

EGPU_API cudaLibraryUnload(cuda::Library library) {
  return in_context([&]() -> Error { return cuLibraryUnload(library); });
}

EGPU_API cudaLibraryGetKernel(cuda::Kernel* kernel, cuda::Library library, const char* name) {
  return in_context([&]() -> Error {
    EGPU_CHECK(cuLibraryGetKernel(kernel, library, name));
    add_kernel_handle(*kernel);
    return kSuccess;
  });
}

EGPU_API cudaLibraryGetKernelCount(unsigned* count, cuda::Library library) {
  return in_context([&]() -> Error { return cuLibraryGetKernelCount(count, library); });
}

EGPU_API cudaLibraryEnumerateKernels(cuda::Kernel* kernels, unsigned count, cuda::Library library) {
  return in_context([&]() -> Error {
    unsigned present = 0;
    EGPU_CHECK(cuLibraryGetKernelCount(&present, library));
    EGPU_CHECK(cuLibraryEnumerateKernels(kernels, count, library));
    for (unsigned i = 0; i < count && i < present; ++i) add_kernel_handle(kernels[i]);
    return kSuccess;
  });
}

EGPU_API cudaLibraryGetGlobal(void** pointer, std::size_t* bytes, cuda::Library library,
                              const char* name) {
  return in_context(
      [&]() -> Error { return cuLibraryGetGlobal(address_out(pointer), bytes, library, name); });
}

EGPU_API cudaLibraryGetManaged(void** pointer, std::size_t* bytes, cuda::Library library,
                               const char* name) {
  return in_context(
      [&]() -> Error { return cuLibraryGetManaged(address_out(pointer), bytes, library, name); });
}

// Flags and results are the driver's, number for number.
EGPU_API_FORMS(cudaGetDriverEntryPointByVersion, _ptsz,
               (const char* name, void** function, unsigned version, unsigned long long flags,
                int* result),
               (name, function, version, flags, result)) {
  if (per_thread && flags == 0) flags = cuda::kProcAddressPerThreadStream;
  return cuGetProcAddress_v2(name, function, static_cast<int>(version), flags, result);
}

EGPU_API_FORMS(cudaGetDriverEntryPoint, _ptsz,
               (const char* name, void** function, unsigned long long flags, int* result),
               (name, function, flags, result)) {
  if (per_thread && flags == 0) flags = cuda::kProcAddressPerThreadStream;
  return cuGetProcAddress_v2(name, function, kRuntimeVersion, flags, result);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace egpu::emu::runtime
