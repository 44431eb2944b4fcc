#include <iterator>
#include <limits>

#include "emu/runtime/call.h"
#include "emu/runtime/launch.h"
#include "emu/runtime/registry.h"

namespace egpu::emu::runtime {
namespace {

using cuda::DeviceAttribute;

// Where the driver takes a kernel it also takes a function, and the other way round.
cuda::Function as_function(cuda::Kernel kernel) { return reinterpret_cast<cuda::Function>(kernel); }

Error check_dimensions(const Dim3& size, const DeviceAttribute (&attributes)[3]) {
  const unsigned sizes[] = {size.x, size.y, size.z};
  for (std::size_t i = 0; i < std::size(sizes); ++i) {
    int limit = 0;
    EGPU_CHECK(cuDeviceGetAttribute(&limit, attributes[i], current_device()));
    if (sizes[i] == 0 || sizes[i] > static_cast<unsigned>(limit)) return kInvalidConfiguration;
  }
  return kSuccess;
}

Error check_sizes(const Dim3& grid, const Dim3& block) {
  EGPU_CHECK(check_dimensions(grid, {cuda::kMaxGridDimX, cuda::kMaxGridDimY, cuda::kMaxGridDimZ}));
  EGPU_CHECK(
      check_dimensions(block, {cuda::kMaxBlockDimX, cuda::kMaxBlockDimY, cuda::kMaxBlockDimZ}));
  int threads = 0;
  EGPU_CHECK(cuDeviceGetAttribute(&threads, cuda::kMaxThreadsPerBlock, current_device()));
  const std::uint64_t wanted = std::uint64_t{block.x} * block.y * block.z;
  return wanted <= static_cast<std::uint64_t>(threads) ? kSuccess : kInvalidConfiguration;
}

// What the driver answered to a launch: it says "invalid value" of sizes that no launch can have,
// too; the runtime tells them apart.
Error launch_error(Error error, const Dim3& grid, const Dim3& block) {
  if (error == kInvalidValue) EGPU_CHECK(check_sizes(grid, block));
  return error;
}

// The driver takes 32 bits.
Error shared_bytes_of(std::size_t bytes, unsigned& result) {
  if (bytes > std::numeric_limits<unsigned>::max()) return kInvalidValue;
  result = static_cast<unsigned>(bytes);
  return kSuccess;
}

Error launch_extended(cuda::Kernel kernel, const LaunchConfig& config, void** arguments,
                      bool per_thread) {
  cuda::LaunchConfig converted{};
  EGPU_CHECK(driver_config(&config, converted));
  return launch_error(
      EGPU_FORM(cuLaunchKernelEx, _ptsz)(&converted, as_function(kernel), arguments, nullptr),
      config.grid, config.block);
}

Error launch_cooperative(cuda::Kernel kernel, const Launch& launch, void** arguments,
                         bool per_thread) {
  const auto& [grid, block, wanted_shared_bytes, stream] = launch;
  unsigned shared_bytes = 0;
  EGPU_CHECK(shared_bytes_of(wanted_shared_bytes, shared_bytes));
  return launch_error(EGPU_FORM(cuLaunchCooperativeKernel, _ptsz)(
                          as_function(kernel), grid.x, grid.y, grid.z, block.x, block.y, block.z,
                          shared_bytes, stream, arguments),
                      grid, block);
}

}  // namespace

Error driver_config(const LaunchConfig* config, cuda::LaunchConfig& result) {
  if (config == nullptr) return kInvalidValue;
  unsigned shared_bytes = 0;
  EGPU_CHECK(shared_bytes_of(config->shared_bytes, shared_bytes));
  result = {.grid_x = config->grid.x,
            .grid_y = config->grid.y,
            .grid_z = config->grid.z,
            .block_x = config->block.x,
            .block_y = config->block.y,
            .block_z = config->block.z,
            .shared_bytes = shared_bytes,
            .stream = config->stream,
            .attributes = config->attributes,
            .attribute_count = config->attribute_count};
  return kSuccess;
}

Error launch(cuda::Kernel kernel, const Launch& launch, void** arguments, bool per_thread) {
  const auto& [grid, block, wanted_shared_bytes, stream] = launch;
  unsigned shared_bytes = 0;
  EGPU_CHECK(shared_bytes_of(wanted_shared_bytes, shared_bytes));
  return launch_error(
      EGPU_FORM(cuLaunchKernel, _ptsz)(as_function(kernel), grid.x, grid.y, grid.z, block.x,
                                       block.y, block.z, shared_bytes, stream, arguments, nullptr),
      grid, block);
}

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
EGPU_API_FORMS(cudaLaunchKernel, _ptsz,
               (const void* function, Dim3 grid, Dim3 block, void** arguments,
                std::size_t shared_bytes, cuda::Stream stream),
               (function, grid, block, arguments, shared_bytes, stream)) {
  cuda::Kernel kernel = nullptr;
  EGPU_CHECK(find_kernel(function, kernel));
  return launch(kernel, {grid, block, shared_bytes, stream}, arguments, per_thread);
}

EGPU_API_FORMS(cudaLaunchCooperativeKernel, _ptsz,
               (const void* function, Dim3 grid, Dim3 block, void** arguments,
                std::size_t shared_bytes, cuda::Stream stream),
               (function, grid, block, arguments, shared_bytes, stream)) {
  cuda::Kernel kernel = nullptr;
  EGPU_CHECK(find_kernel(function, kernel));
  return launch_cooperative(kernel, {grid, block, shared_bytes, stream}, arguments, per_thread);
}

EGPU_API_FORMS(cudaLaunchKernelExC, _ptsz,
               (const LaunchConfig* config, const void* function, void** arguments),
               (config, function, arguments)) {
  if (config == nullptr) return kInvalidConfiguration;
  cuda::Kernel kernel = nullptr;
  EGPU_CHECK(find_kernel(function, kernel));
  return launch_extended(kernel, *config, arguments, per_thread);
}

EGPU_API_FORMS(cudaLaunchHostFunc, _ptsz,
               (cuda::Stream stream, cuda::HostFunction function, void* data),
               (stream, function, data)) {
  return EGPU_FORM(cuLaunchHostFunc, _ptsz)(stream, function, data);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace egpu::emu::runtime
