#include "emu/driver/contexts.h"

#include "emu/driver/functions.h"
#include "emu/driver/handles.h"
#include "emu/driver/memory.h"
#include "emu/driver/modules.h"

namespace egpu::emu::driver {
namespace {

// Trivially destructible: exit handlers use it after the end of thread-local objects.
struct ContextStack {
  std::array<Context*, 64> contexts;
  std::size_t depth;

  Context* top() const { return depth == 0 ? nullptr : contexts[depth - 1]; }
  bool push(Context* context) {
    if (depth == contexts.size()) return false;
    contexts[depth++] = context;
    return true;
  }
};
thread_local ContextStack stack{};

Handles<cuda::Context, Context>& contexts() {
  static auto* const instance = new Handles<cuda::Context, Context>;
  return *instance;
}

std::map<cuda::Limit, std::size_t> default_limits() {
  return {
      {cuda::kLimitStackSize, 1024},          {cuda::kLimitPrintfFifoSize, 1 << 20},
      {cuda::kLimitMallocHeapSize, 8 << 20},  {cuda::kLimitMaxL2FetchGranularity, 64},
      {cuda::kLimitPersistingL2CacheSize, 0},
  };
}

std::uint64_t next_context_id() {
  static std::atomic<std::uint64_t> next{1};
  return next++;
}

// Ends everything that belongs to the context. What still runs is waited for.
void end_context(Context& context) {
  wait_for_all(context);
  {
    const std::lock_guard lock(driver().mutex);
    context.alive = false;
  }
  drop_streams(context);
  drop_modules(context);
  drop_memory(context);
}

Status find_primary(cuda::Device ordinal, Context*& context) {
  EGPU_STATUS(check_driver());
  Device* device = find_device(ordinal);
  if (device == nullptr) return cuda::kInvalidDevice;
  context = device->primary;
  return cuda::kSuccess;
}

bool valid_flags(unsigned flags) {
  constexpr unsigned kSchedulingMask = 7;
  const unsigned scheduling = flags & kSchedulingMask;
  return (flags & ~cuda::kContextFlagsMask) == 0 && (scheduling & (scheduling - 1)) == 0;
}

}  // namespace

Context::Context(Device& of, bool is_primary, unsigned context_flags)
    : device(of), primary(is_primary), id(next_context_id()), flags(context_flags) {}

void Context::revive() {
  limits = default_limits();
  cache_config = 0;
  shared_config = 0;
  sticky = cuda::kSuccess;
  stop_ = {};
  peers.clear();
  shown_to.clear();
  legacy = std::make_shared<Stream>(*this, 0, 0);
  streams = {legacy.get()};
  alive = true;
}

void Context::fail(Status status) {
  const std::lock_guard lock(driver().mutex);
  Status none = cuda::kSuccess;
  if (sticky.compare_exchange_strong(none, status)) stop_.request_stop();
}

std::stop_token Context::stop_token() {
  const std::lock_guard lock(driver().mutex);
  return stop_.get_token();
}

cuda::Context handle_of(const Context& context) {
  return Handles<cuda::Context, Context>::of(&context);
}

Status current_context_any(Context*& context) {
  EGPU_STATUS(check_driver());
  context = stack.top();
  if (context == nullptr) return cuda::kInvalidContext;
  return context->alive ? cuda::kSuccess : cuda::kContextIsDestroyed;
}

Status current_context(Context*& context) {
  EGPU_STATUS(current_context_any(context));
  return context->sticky;
}

Status find_context(cuda::Context handle, Context*& context) {
  EGPU_STATUS(check_driver());
  if (handle == nullptr) return current_context_any(context);
  context = contexts().find(handle).get();
  if (context == nullptr) return cuda::kInvalidContext;
  return context->alive ? cuda::kSuccess : cuda::kContextIsDestroyed;
}

std::vector<Context*> all_contexts() {
  std::vector<Context*> alive;
  for (const auto& context : contexts().all())
    if (context->alive) alive.push_back(context.get());
  return alive;
}

void make_primary_contexts() {
  for (const auto& device : driver().devices) {
    const auto context = std::make_shared<Context>(*device, true, 0);
    device->primary = context.get();
    contexts().add(context);
  }
}

Status primary_ctx_retain(cuda::Context* handle, cuda::Device ordinal) {
  Context* context = nullptr;
  EGPU_STATUS(find_primary(ordinal, context));
  if (handle == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  if (context->retained++ == 0 && !context->alive) context->revive();
  *handle = handle_of(*context);
  return cuda::kSuccess;
}

Status primary_ctx_release(cuda::Device ordinal) {
  Context* context = nullptr;
  EGPU_STATUS(find_primary(ordinal, context));
  {
    const std::lock_guard lock(driver().mutex);
    if (context->retained == 0) return cuda::kInvalidContext;
    if (--context->retained > 0) return cuda::kSuccess;
  }
  end_context(*context);
  return cuda::kSuccess;
}

// Those who retained it may go on using it: it begins anew.
Status primary_ctx_reset(cuda::Device ordinal) {
  Context* context = nullptr;
  EGPU_STATUS(find_primary(ordinal, context));
  if (!context->alive) return cuda::kSuccess;
  end_context(*context);
  const std::lock_guard lock(driver().mutex);
  if (context->retained > 0) context->revive();
  return cuda::kSuccess;
}

Status primary_ctx_set_flags(cuda::Device ordinal, unsigned flags) {
  Context* context = nullptr;
  EGPU_STATUS(find_primary(ordinal, context));
  if (!valid_flags(flags)) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  context->flags = flags;
  return cuda::kSuccess;
}

Status primary_ctx_get_state(cuda::Device ordinal, unsigned* flags, int* active) {
  Context* context = nullptr;
  EGPU_STATUS(find_primary(ordinal, context));
  if (flags == nullptr || active == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  *flags = context->flags;
  *active = context->alive ? 1 : 0;
  return cuda::kSuccess;
}

Status ctx_create(cuda::Context* handle, unsigned flags, cuda::Device ordinal) {
  EGPU_STATUS(check_driver());
  Device* device = find_device(ordinal);
  if (device == nullptr) return cuda::kInvalidDevice;
  if (handle == nullptr || !valid_flags(flags)) return cuda::kInvalidValue;
  const auto context = std::make_shared<Context>(*device, false, flags);
  if (!stack.push(context.get())) return cuda::kOutOfMemory;
  {
    const std::lock_guard lock(driver().mutex);
    context->revive();
  }
  *handle = contexts().add(context);
  return cuda::kSuccess;
}

// Without shares of the multiprocessors: there are none to give.
Status ctx_create_v3(cuda::Context* handle, void*, int affinities, unsigned flags,
                     cuda::Device ordinal) {
  if (affinities != 0) return cuda::kNotSupported;
  return ctx_create(handle, flags, ordinal);
}

Status ctx_create_v4(cuda::Context* handle, void* parameters, unsigned flags,
                     cuda::Device ordinal) {
  if (parameters != nullptr) return cuda::kNotSupported;
  return ctx_create(handle, flags, ordinal);
}

Status ctx_destroy(cuda::Context handle) {
  if (handle == nullptr) return cuda::kInvalidContext;
  Context* context = nullptr;
  EGPU_STATUS(find_context(handle, context));
  if (context->primary) return cuda::kInvalidContext;
  end_context(*context);
  if (stack.top() == context) --stack.depth;
  return cuda::kSuccess;
}

Status ctx_push_current(cuda::Context handle) {
  if (handle == nullptr) return cuda::kInvalidContext;
  Context* context = nullptr;
  EGPU_STATUS(find_context(handle, context));
  return stack.push(context) ? cuda::kSuccess : cuda::kOutOfMemory;
}

Status ctx_pop_current(cuda::Context* handle) {
  EGPU_STATUS(check_driver());
  if (stack.top() == nullptr) return cuda::kInvalidContext;
  if (handle != nullptr) *handle = handle_of(*stack.top());
  --stack.depth;
  return cuda::kSuccess;
}

Status ctx_set_current(cuda::Context handle) {
  EGPU_STATUS(check_driver());
  Context* context = nullptr;
  if (handle != nullptr) EGPU_STATUS(find_context(handle, context));
  if (stack.depth > 0) --stack.depth;
  if (context != nullptr) stack.push(context);
  return cuda::kSuccess;
}

Status ctx_get_current(cuda::Context* handle) {
  EGPU_STATUS(check_driver());
  if (handle == nullptr) return cuda::kInvalidValue;
  *handle = stack.top() != nullptr ? handle_of(*stack.top()) : nullptr;
  return cuda::kSuccess;
}

Status ctx_get_device(cuda::Device* device) { return ctx_get_device_v2(device, nullptr); }

Status ctx_get_device_v2(cuda::Device* device, cuda::Context handle) {
  Context* context = nullptr;
  EGPU_STATUS(find_context(handle, context));
  if (device == nullptr) return cuda::kInvalidValue;
  *device = context->device.ordinal;
  return cuda::kSuccess;
}

Status ctx_get_id(cuda::Context handle, unsigned long long* id) {
  Context* context = nullptr;
  EGPU_STATUS(find_context(handle, context));
  if (id == nullptr) return cuda::kInvalidValue;
  *id = context->id;
  return cuda::kSuccess;
}

Status ctx_get_flags(unsigned* flags) {
  Context* context = nullptr;
  EGPU_STATUS(current_context_any(context));
  if (flags == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  *flags = context->flags;
  return cuda::kSuccess;
}

Status ctx_set_flags(unsigned flags) {
  Context* context = nullptr;
  EGPU_STATUS(current_context_any(context));
  if (!valid_flags(flags)) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  context->flags = flags;
  return cuda::kSuccess;
}

Status ctx_get_api_version(cuda::Context handle, unsigned* version) {
  Context* context = nullptr;
  EGPU_STATUS(find_context(handle, context));
  if (version == nullptr) return cuda::kInvalidValue;
  *version = 3020;
  return cuda::kSuccess;
}

}  // namespace egpu::emu::driver
