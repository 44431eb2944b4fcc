// Limits and preferences of contexts. Preferences change no result: they are kept to be given back.
#include "emu/driver/contexts.h"
#include "emu/driver/device_limits.h"
#include "emu/driver/functions.h"

namespace egpu::emu::driver {

Status ctx_set_limit(cuda::Limit limit, std::size_t value) {
  Context* context = nullptr;
  EGPU_STATUS(current_context(context));
  const std::lock_guard lock(driver().mutex);
  const auto found = context->limits.find(limit);
  if (found == context->limits.end()) return cuda::kUnsupportedLimit;
  constexpr std::size_t kLargestStack = 512 << 10;  // local memory of a thread
  if (limit == cuda::kLimitStackSize && value > kLargestStack) return cuda::kInvalidValue;
  found->second = value;
  return cuda::kSuccess;
}

Status ctx_get_limit(std::size_t* value, cuda::Limit limit) {
  Context* context = nullptr;
  EGPU_STATUS(current_context(context));
  if (value == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  const auto found = context->limits.find(limit);
  if (found == context->limits.end()) return cuda::kUnsupportedLimit;
  *value = found->second;
  return cuda::kSuccess;
}

Status ctx_get_cache_config(int* config) {
  Context* context = nullptr;
  EGPU_STATUS(current_context(context));
  if (config == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  *config = context->cache_config;
  return cuda::kSuccess;
}

Status ctx_set_cache_config(int config) {
  Context* context = nullptr;
  EGPU_STATUS(current_context(context));
  if (config < 0 || config > 3) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  context->cache_config = config;
  return cuda::kSuccess;
}

Status ctx_get_shared_mem_config(int* config) {
  Context* context = nullptr;
  EGPU_STATUS(current_context(context));
  if (config == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  *config = context->shared_config;
  return cuda::kSuccess;
}

Status ctx_set_shared_mem_config(int config) {
  Context* context = nullptr;
  EGPU_STATUS(current_context(context));
  if (config < 0 || config > 2) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  context->shared_config = config;
  return cuda::kSuccess;
}

Status ctx_get_stream_priority_range(int* least, int* greatest) {
  Context* context = nullptr;
  EGPU_STATUS(current_context(context));
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = kGreatestStreamPriority;
  return cuda::kSuccess;
}

Status ctx_reset_persisting_l2_cache() {
  Context* context = nullptr;
  return current_context(context);
}

// There is no profiler to start or stop.
Status profiler_start() {
  Context* context = nullptr;
  return current_context(context);
}

Status profiler_stop() { return profiler_start(); }

}  // namespace egpu::emu::driver
