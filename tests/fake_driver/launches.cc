// Launches: recorded, and counted where the kernel is a twin.
#include "abi/probe_table.h"
#include "abi/raw_kernel.h"
#include "entry.h"
#include "modules.h"

namespace fake_cuda {
namespace {

constexpr cuda::Status kLaunchFailed = 719;

// What the generated code of a thread counter would do: header, then the first map's address.
cuda::Status run_twin(const FakeModule& module, std::uint64_t threads) {
  constexpr std::size_t kFirstMap = sizeof(egpu::abi::ProbeTableHeader) / 8;
  if (module.table.size() <= kFirstMap || module.table[kFirstMap] == 0)
    return cuda::kIllegalAddress;
  __atomic_fetch_add(reinterpret_cast<std::uint64_t*>(module.table[kFirstMap]), threads,
                     __ATOMIC_RELAXED);
  return cuda::kSuccess;
}

// `parameters`: as abi/raw_kernel.h has them.
cuda::Status run_raw(void** parameters) {
  if (const int status = setting("FAKE_CUDA_RAW_ERROR"); status != 0) return status;
  const auto parameter = [&](int index) { return *static_cast<std::uint64_t*>(parameters[index]); };
  auto* memory = reinterpret_cast<unsigned char*>(parameter(0));
  const std::uint64_t size = parameter(1);
  for (std::uint64_t i = 0; i < size; ++i) ++memory[i];
  auto* stacks = reinterpret_cast<unsigned char*>(parameter(2));
  for (std::uint32_t i = 0; i < egpu::abi::kRawStacksBytes; ++i)
    if (stacks[i]++ != 0) return cuda::kIllegalAddress;
  *reinterpret_cast<std::uint64_t*>(parameter(3)) = size;
  return cuda::kSuccess;
}

FakeContext* context_of(cuda::Stream stream) {
  const auto found = state().streams.find(reinterpret_cast<FakeStream*>(stream));
  return found != state().streams.end() ? found->second->context : current();
}

cuda::Status launch(cuda::Function function, std::uint64_t threads, cuda::Stream stream,
                    void** parameters = nullptr) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_context(); status != cuda::kSuccess) return status;
  FakeContext* context = context_of(stream);
  if (context->sticky != cuda::kSuccess) return context->sticky;
  const bool is_kernel = *reinterpret_cast<Tag*>(function) == Tag::kKernel;
  auto* kernel = reinterpret_cast<FakeKernel*>(function);
  auto* plain = reinterpret_cast<FakeFunction*>(function);
  const std::string& name = is_kernel ? kernel->name : plain->name;
  const FakeModule& module = is_kernel ? module_of(*kernel->library, context) : *plain->module;
  if (is_twin(name) && setting("FAKE_CUDA_FAIL_TWIN") != 0) return setting("FAKE_CUDA_FAIL_TWIN");
  // Errors of running code are not the launch's: the next call finds the context ruined.
  if (is_twin(name)) context->sticky = run_twin(module, threads);
  if (name.starts_with("egpu_raw_")) {
    const auto found = state().streams.find(reinterpret_cast<FakeStream*>(stream));
    if (found != state().streams.end()) found->second->busy = setting("FAKE_CUDA_RAW_HANGS") != 0;
    context->sticky = run_raw(parameters);
  }
  if (++context->launches == setting("FAKE_CUDA_STICKY_AFTER")) context->sticky = kLaunchFailed;
  Record& record = state().records[name];
  ++record.launches;
  record.threads += threads;
  return cuda::kSuccess;
}

cuda::Status launch_config(const cuda::LaunchConfig& config, cuda::Function function) {
  const std::uint64_t threads = std::uint64_t{config.grid_x} * config.grid_y * config.grid_z *
                                config.block_x * config.block_y * config.block_z;
  return launch(function, threads, config.stream);
}

}  // namespace

extern "C" {

cuda::Status fake_cuLaunchKernel(cuda::Function function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned, cuda::Stream stream, void** parameters,
                                 void**) {
  return launch(function, std::uint64_t{grid_x} * grid_y * grid_z * block_x * block_y * block_z,
                stream, parameters);
}
FAKE_CUDA_EXPORT(cuLaunchKernel);

cuda::Status fake_cuLaunchKernel_ptsz(cuda::Function function, unsigned grid_x, unsigned grid_y,
                                      unsigned grid_z, unsigned block_x, unsigned block_y,
                                      unsigned block_z, unsigned, cuda::Stream stream, void**,
                                      void**) {
  return launch(function, std::uint64_t{grid_x} * grid_y * grid_z * block_x * block_y * block_z,
                stream);
}
FAKE_CUDA_EXPORT(cuLaunchKernel_ptsz);

cuda::Status fake_cuLaunchKernelEx(const cuda::LaunchConfig* config, cuda::Function function,
                                   void**, void**) {
  return launch_config(*config, function);
}
FAKE_CUDA_EXPORT(cuLaunchKernelEx);

cuda::Status fake_cuLaunchKernelEx_ptsz(const cuda::LaunchConfig* config, cuda::Function function,
                                        void**, void**) {
  return launch_config(*config, function);
}
FAKE_CUDA_EXPORT(cuLaunchKernelEx_ptsz);

cuda::Status fake_cuLaunchCooperativeKernel(cuda::Function function, unsigned grid_x,
                                            unsigned grid_y, unsigned grid_z, unsigned block_x,
                                            unsigned block_y, unsigned block_z, unsigned,
                                            cuda::Stream stream, void**) {
  return launch(function, std::uint64_t{grid_x} * grid_y * grid_z * block_x * block_y * block_z,
                stream);
}
FAKE_CUDA_EXPORT(cuLaunchCooperativeKernel);

cuda::Status fake_cuLaunchCooperativeKernel_ptsz(cuda::Function function, unsigned grid_x,
                                                 unsigned grid_y, unsigned grid_z, unsigned block_x,
                                                 unsigned block_y, unsigned block_z, unsigned,
                                                 cuda::Stream stream, void**) {
  return launch(function, std::uint64_t{grid_x} * grid_y * grid_z * block_x * block_y * block_z,
                stream);
}
FAKE_CUDA_EXPORT(cuLaunchCooperativeKernel_ptsz);

}  // extern "C"
}  // namespace fake_cuda
