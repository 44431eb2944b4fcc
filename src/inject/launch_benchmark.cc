// What a launch pays for being observed. The driver's functions are replaced by ones that do
// nothing.
#include <benchmark/benchmark.h>

#include <utility>

#include "inject/hooks.h"
#include "inject/session.h"

namespace egpu::inject {
namespace {

template <class Handle>
Handle handle(std::uintptr_t number) noexcept {
  return reinterpret_cast<Handle>(number * 4096);  // NOLINT(performance-no-int-to-ptr)
}

const auto kContext = handle<cuda::Context>(1);
alignas(4096) char area[2 * abi::kSnapshotHeaderBytes];
Instance instance;

[[gnu::noinline]] cuda::Status launch_nothing(cuda::Function function, unsigned, unsigned, unsigned,
                                              unsigned, unsigned, unsigned, unsigned, cuda::Stream,
                                              void**, void**) {
  benchmark::DoNotOptimize(function);
  return cuda::kSuccess;
}

cuda::Status give_context(cuda::Context* context) {
  *context = kContext;
  return cuda::kSuccess;
}

cuda::Status give_stream_context(cuda::Stream, cuda::Context* context) {
  return give_context(context);
}

// One instrumented library kernel, bound to one context; a hundred kernels in all.
void set_up() {
  if (active()) return;
  session.driver.launch = launch_nothing;
  session.driver.ctx_get_current = give_context;
  session.driver.stream_get_ctx = give_stream_context;
  instance.area = Mapping(area, sizeof area);
  session.modules.add_library(handle<cuda::Library>(2), {});
  LoadedModule& module = *session.modules.find_module(handle<const void*>(2));
  module.bindings[0].instance = &instance;
  module.bindings[0].context = kContext;
  for (std::uintptr_t i = 100; i < 200; ++i)
    session.modules.add_kernel(handle<const void*>(i), handle<cuda::Function>(1000 + i), module,
                               nullptr, "__egpu_k");
  session.active = true;
}

cuda::Status start(cuda::LaunchSignature* function, std::uintptr_t kernel, cuda::Stream stream) {
  return function(handle<cuda::Function>(kernel), 1, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr);
}

void measure(benchmark::State& state, cuda::LaunchSignature* function, std::uintptr_t kernel,
             cuda::Stream stream) {
  set_up();
  for ([[maybe_unused]] const auto iteration : state)
    if (start(function, kernel, stream) != cuda::kSuccess) state.SkipWithError("a launch failed");
}

void unhooked(benchmark::State& state) { measure(state, launch_nothing, 100, nullptr); }
void other_kernel(benchmark::State& state) { measure(state, hooks::launch, 50, nullptr); }
void instrumented_kernel(benchmark::State& state) { measure(state, hooks::launch, 150, nullptr); }
void instrumented_kernel_on_stream(benchmark::State& state) {
  measure(state, hooks::launch, 150, handle<cuda::Stream>(9));
}

BENCHMARK(unhooked);
BENCHMARK(other_kernel);
BENCHMARK(instrumented_kernel);
BENCHMARK(instrumented_kernel_on_stream);

}  // namespace
}  // namespace egpu::inject
