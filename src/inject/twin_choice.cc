#include "inject/twin_choice.h"

namespace egpu::inject {
namespace {

// A kernel of a library has no context of its own: it runs in that of its stream.
cuda::Context context_of(const Kernel& kernel, cuda::Stream stream) {
  if (kernel.context != nullptr) return kernel.context;
  cuda::Context context = nullptr;
  if (reinterpret_cast<std::uintptr_t>(stream) <= cuda::kLastSpecialStream)
    session.driver.ctx_get_current(&context);
  else
    session.driver.stream_get_ctx(stream, &context);
  return context;
}

Choice choose_instance(Kernel& kernel, cuda::Context context) {
  if (context == nullptr) return {};
  for (const Binding& binding : kernel.owner->bindings)
    if (binding.context.load(std::memory_order_acquire) == context)
      return {&kernel, binding.instance.load(std::memory_order_relaxed)};
  return {&kernel, session.instances.bind(*kernel.owner, context)};
}

}  // namespace

Choice choose(cuda::Function function, cuda::Stream stream) {
  Kernel* kernel = session.modules.find_kernel(function);
  if (kernel == nullptr || !active()) return {};
  return choose_instance(*kernel, context_of(*kernel, stream));
}

Choice choose_in(cuda::Function function, cuda::Context context) {
  if (context == nullptr) return choose(function, nullptr);
  Kernel* kernel = session.modules.find_kernel(function);
  if (kernel == nullptr || !active()) return {};
  return choose_instance(*kernel, context);
}

}  // namespace egpu::inject
