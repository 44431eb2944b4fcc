// Kernels: their attributes, how many of their blocks fit, and their handles.
#include "emu/runtime/call.h"
#include "emu/runtime/launch.h"
#include "emu/runtime/registry.h"

namespace egpu::emu::runtime {
namespace {

// Reads attributes of one kernel on the current device; the first error stays.
class Attributes {
 public:
  explicit Attributes(cuda::Kernel kernel) : kernel_(kernel), device_(current_device()) {}

  int operator()(cuda::FunctionAttribute attribute) {
    int value = 0;
    if (error_ == kSuccess) error_ = cuKernelGetAttribute(&value, attribute, kernel_, device_);
    return value;
  }
  std::size_t bytes(cuda::FunctionAttribute attribute) {
    return static_cast<std::size_t>((*this)(attribute));
  }
  [[nodiscard]] Error error() const { return error_; }

 private:
  cuda::Kernel kernel_;
  int device_;
  Error error_ = kSuccess;
};

Error read_attributes(cuda::Kernel kernel, FunctionAttributes& to) {
  Attributes of(kernel);
  to = {};
  to.shared_bytes = of.bytes(cuda::kFunctionSharedSizeBytes);
  to.constant_bytes = of.bytes(cuda::kFunctionConstSizeBytes);
  to.local_bytes = of.bytes(cuda::kFunctionLocalSizeBytes);
  to.max_threads_per_block = of(cuda::kFunctionMaxThreadsPerBlock);
  to.registers = of(cuda::kFunctionNumRegs);
  to.ptx_version = of(cuda::kFunctionPtxVersion);
  to.binary_version = of(cuda::kFunctionBinaryVersion);
  to.cache_mode_ca = of(cuda::kFunctionCacheModeCa);
  to.max_dynamic_shared_bytes = of(cuda::kFunctionMaxDynamicSharedSizeBytes);
  to.preferred_shared_carveout = of(cuda::kFunctionPreferredSharedMemoryCarveout);
  to.cluster_size_must_be_set = of(cuda::kFunctionClusterSizeMustBeSet);
  to.required_cluster[0] = of(cuda::kFunctionRequiredClusterWidth);
  to.required_cluster[1] = of(cuda::kFunctionRequiredClusterHeight);
  to.required_cluster[2] = of(cuda::kFunctionRequiredClusterDepth);
  to.cluster_scheduling_policy_preference = of(cuda::kFunctionClusterSchedulingPolicyPreference);
  to.non_portable_cluster_size_allowed = of(cuda::kFunctionNonPortableClusterSizeAllowed);
  return of.error();
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
EGPU_API cudaFuncGetAttributes(FunctionAttributes* attributes, const void* function) {
  return in_context([&]() -> Error {
    if (attributes == nullptr) return kInvalidValue;
    cuda::Kernel kernel = nullptr;
    EGPU_CHECK(find_kernel(function, kernel));
    return read_attributes(kernel, *attributes);
  });
}

EGPU_API cudaFuncSetAttribute(const void* function, cuda::FunctionAttribute attribute, int value) {
  return in_context([&]() -> Error {
    cuda::Kernel kernel = nullptr;
    EGPU_CHECK(find_kernel(function, kernel));
    return cuKernelSetAttribute(attribute, value, kernel, current_device());
  });
}

EGPU_API cudaKernelSetAttributeForDevice(cuda::Kernel kernel, cuda::FunctionAttribute attribute,
                                         int value, int device) {
  return in_context(
      [&]() -> Error { return cuKernelSetAttribute(attribute, value, kernel, device); });
}

EGPU_API cudaFuncSetCacheConfig(const void* function, int config) {
  return in_context([&]() -> Error {
    cuda::Kernel kernel = nullptr;
    EGPU_CHECK(find_kernel(function, kernel));
    return cuKernelSetCacheConfig(kernel, config, current_device());
  });
}

EGPU_API cudaFuncSetSharedMemConfig(const void* function, int config) {
  return in_context([&]() -> Error {
    cuda::Function found = nullptr;
    EGPU_CHECK(find_function(function, found));
    return cuFuncSetSharedMemConfig(found, config);
  });
}

EGPU_API cudaFuncGetName(const char** name, const void* function) {
  return in_context([&]() -> Error {
    cuda::Kernel kernel = nullptr;
    EGPU_CHECK(find_kernel(function, kernel));
    return cuKernelGetName(name, kernel);
  });
}

EGPU_API cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                              std::size_t* bytes) {
  return in_context([&]() -> Error {
    cuda::Kernel kernel = nullptr;
    EGPU_CHECK(find_kernel(function, kernel));
    return cuKernelGetParamInfo(kernel, index, offset, bytes);
  });
}

EGPU_API cudaGetFuncBySymbol(cuda::Function* result, const void* function) {
  return in_context([&]() -> Error {
    return result == nullptr ? kInvalidValue : find_function(function, *result);
  });
}

EGPU_API cudaGetKernel(cuda::Kernel* result, const void* function) {
  return in_context([&]() -> Error {
    return result == nullptr ? kInvalidValue : find_kernel(function, *result);
  });
}

EGPU_API cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                       int threads, std::size_t shared_bytes) {
  return in_context([&]() -> Error {
    cuda::Function found = nullptr;
    EGPU_CHECK(find_function(function, found));
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, found, threads, shared_bytes);
  });
}

EGPU_API cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                int threads,
                                                                std::size_t shared_bytes,
                                                                unsigned flags) {
  return in_context([&]() -> Error {
    cuda::Function found = nullptr;
    EGPU_CHECK(find_function(function, found));
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, found, threads,
                                                                shared_bytes, flags);
  });
}

EGPU_API cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function,
                                                   int blocks, int threads) {
  return in_context([&]() -> Error {
    cuda::Function found = nullptr;
    EGPU_CHECK(find_function(function, found));
    return cuOccupancyAvailableDynamicSMemPerBlock(bytes, found, blocks, threads);
  });
}

EGPU_API cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                              const LaunchConfig* config) {
  return in_context([&]() -> Error {
    cuda::Function found = nullptr;
    cuda::LaunchConfig converted{};
    EGPU_CHECK(find_function(function, found));
    EGPU_CHECK(driver_config(config, converted));
    return cuOccupancyMaxPotentialClusterSize(size, found, &converted);
  });
}

EGPU_API cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                        const LaunchConfig* config) {
  return in_context([&]() -> Error {
    cuda::Function found = nullptr;
    cuda::LaunchConfig converted{};
    EGPU_CHECK(find_function(function, found));
    EGPU_CHECK(driver_config(config, converted));
    return cuOccupancyMaxActiveClusters(clusters, found, &converted);
  });
}
// NOLINTEND(readability-identifier-naming)

}  // namespace egpu::emu::runtime
