// The launch path. What every launch of the application pays: one look-up in a hash table. What a
// launch of a twin pays on top: the context it runs in, a scan of one or few bindings, one counter.
// No lock, no system call.
#include "inject/hooks.h"
#include "inject/report.h"
#include "inject/twin_choice.h"

namespace egpu::inject::hooks {
namespace {

void count(std::atomic<std::uint64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }

// The same launch works with the original: it is the twin that cannot do it, now or ever.
[[gnu::noinline]] void give_up(Kernel& kernel, cuda::Status status) {
  if (kernel.disabled.exchange(true)) return;
  report("kernel %s: instrumented launch failed (driver error %d), the original runs from now on",
         kernel.name(), status);
}

// `start(function)` launches with the application's arguments.
template <class Start>
cuda::Status launch_either(cuda::Function function, cuda::Stream stream, Start start) {
  const Choice choice = choose(function, stream);
  if (choice.instance == nullptr) return start(function);
  abi::SnapshotHeader& header = choice.instance->header();
  cuda::Status twin_status = cuda::kSuccess;
  const bool disabled = choice.kernel->disabled.load(std::memory_order_relaxed);
  if (!disabled) {
    twin_status = start(choice.kernel->twin);
    if (twin_status == cuda::kSuccess) {
      count(header.instrumented_launches);
      return twin_status;
    }
  }
  const cuda::Status status = start(function);
  if (status != cuda::kSuccess) return status;
  count(header.fallback_launches);
  if (!disabled) give_up(*choice.kernel, twin_status);
  return status;
}

cuda::Stream stream_of(const cuda::LaunchConfig* config) {
  return config != nullptr ? config->stream : nullptr;
}

}  // namespace

cuda::Status launch(cuda::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                    cuda::Stream stream, void** parameters, void** extra) {
  return launch_either(function, stream, [&](cuda::Function chosen) {
    return session.driver.launch(chosen, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                 shared_bytes, stream, parameters, extra);
  });
}

cuda::Status launch_ptsz(cuda::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                         unsigned block_x, unsigned block_y, unsigned block_z,
                         unsigned shared_bytes, cuda::Stream stream, void** parameters,
                         void** extra) {
  return launch_either(function, stream, [&](cuda::Function chosen) {
    return session.driver.launch_ptsz(chosen, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                      shared_bytes, stream, parameters, extra);
  });
}

cuda::Status launch_ex(const cuda::LaunchConfig* config, cuda::Function function, void** parameters,
                       void** extra) {
  return launch_either(function, stream_of(config), [&](cuda::Function chosen) {
    return session.driver.launch_ex(config, chosen, parameters, extra);
  });
}

cuda::Status launch_ex_ptsz(const cuda::LaunchConfig* config, cuda::Function function,
                            void** parameters, void** extra) {
  return launch_either(function, stream_of(config), [&](cuda::Function chosen) {
    return session.driver.launch_ex_ptsz(config, chosen, parameters, extra);
  });
}

cuda::Status launch_cooperative(cuda::Function function, unsigned grid_x, unsigned grid_y,
                                unsigned grid_z, unsigned block_x, unsigned block_y,
                                unsigned block_z, unsigned shared_bytes, cuda::Stream stream,
                                void** parameters) {
  return launch_either(function, stream, [&](cuda::Function chosen) {
    return session.driver.launch_cooperative(chosen, grid_x, grid_y, grid_z, block_x, block_y,
                                             block_z, shared_bytes, stream, parameters);
  });
}

cuda::Status launch_cooperative_ptsz(cuda::Function function, unsigned grid_x, unsigned grid_y,
                                     unsigned grid_z, unsigned block_x, unsigned block_y,
                                     unsigned block_z, unsigned shared_bytes, cuda::Stream stream,
                                     void** parameters) {
  return launch_either(function, stream, [&](cuda::Function chosen) {
    return session.driver.launch_cooperative_ptsz(chosen, grid_x, grid_y, grid_z, block_x, block_y,
                                                  block_z, shared_bytes, stream, parameters);
  });
}

}  // namespace egpu::inject::hooks
