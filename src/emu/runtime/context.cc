#include "emu/runtime/context.h"

#include <array>
#include <cstdio>
#include <mutex>

#include "emu/runtime/call.h"

namespace egpu::emu::runtime {
namespace {

constexpr int kMostDevices = 64;

thread_local int device_of_thread = 0;
thread_local Error error_of_thread = kSuccess;

// Whether the runtime holds the device's primary context.
struct Retained {
  std::mutex mutex;
  std::array<cuda::Context, kMostDevices> contexts{};
};
Retained& retained() {
  static auto& state = *new Retained;  // lives as long as functions can be called
  return state;
}

Error context_of(int device, cuda::Context& context) {
  if (device < 0 || device >= kMostDevices) return kInvalidDevice;
  Retained& state = retained();
  const std::lock_guard lock(state.mutex);
  cuda::Context& known = state.contexts[static_cast<std::size_t>(device)];
  if (known == nullptr) EGPU_CHECK(cuDevicePrimaryCtxRetain(&known, device));
  context = known;
  return kSuccess;
}

}  // namespace

Error start() {
  static const Error result = cuInit(0);
  return result;
}

Error enter() {
  EGPU_CHECK(start());
  cuda::Context context = nullptr;
  EGPU_CHECK(cuCtxGetCurrent(&context));
  return context != nullptr ? kSuccess : use_device(device_of_thread);
}

Error use_device(int device) {
  cuda::Context context = nullptr;
  EGPU_CHECK(context_of(device, context));
  EGPU_CHECK(cuCtxSetCurrent(context));
  device_of_thread = device;
  return kSuccess;
}

void forget_device(int device) {
  Retained& state = retained();
  const std::lock_guard lock(state.mutex);
  state.contexts[static_cast<std::size_t>(device)] = nullptr;
}

int current_device() {
  cuda::Device device = 0;
  return cuCtxGetDevice(&device) == kSuccess ? device : device_of_thread;
}

Error remember(Error error) {
  if (error != kSuccess && error != cuda::kNotReady) error_of_thread = error;
  return error;
}

Error last_error() { return error_of_thread; }

void say(const char* text, const char* detail) {
  std::fprintf(stderr, "egpu emulator: %s%s\n", text, detail);
}

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
EGPU_API cudaGetLastError() { return std::exchange(error_of_thread, kSuccess); }
EGPU_API cudaPeekAtLastError() { return error_of_thread; }
// NOLINTEND(readability-identifier-naming)

}  // namespace egpu::emu::runtime
