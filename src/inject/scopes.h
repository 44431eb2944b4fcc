// What surrounds the library's own calls of the driver.
#pragma once

#include "cuda/driver_types.h"
#include "inject/session.h"

namespace egpu::inject {

inline constinit thread_local int nesting_depth = 0;

// Tells a call of the application from one that the driver makes to its own exported functions, or
// the library to the driver, while a hook is at work on this thread.
class NestingGuard {
 public:
  NestingGuard() { ++nesting_depth; }
  ~NestingGuard() { --nesting_depth; }
  NestingGuard(const NestingGuard&) = delete;
  NestingGuard& operator=(const NestingGuard&) = delete;

  [[nodiscard]] static bool nested() { return nesting_depth > 0; }
};

// For hooks off the launch path: only call the original.
inline bool hands_off() { return !active() || NestingGuard::nested(); }

inline cuda::Context current_context() {
  cuda::Context context = nullptr;
  session.driver.ctx_get_current(&context);
  return context;
}

// Lets this thread make calls that would otherwise ruin a stream capture going on in the
// application.
class RelaxedCapture {
 public:
  RelaxedCapture() { session.driver.exchange_capture_mode(&mode_); }
  ~RelaxedCapture() { session.driver.exchange_capture_mode(&mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  cuda::CaptureMode mode_ = cuda::kCaptureRelaxed;
};

// Makes `context` current on this thread. entered() tells whether it could be done.
class CurrentContext {
 public:
  explicit CurrentContext(cuda::Context context)
      : status_(session.driver.ctx_push_current(context)) {}
  ~CurrentContext() {
    cuda::Context popped = nullptr;
    if (entered()) session.driver.ctx_pop_current(&popped);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

  [[nodiscard]] bool entered() const { return status_ == cuda::kSuccess; }
  [[nodiscard]] cuda::Status status() const { return status_; }

 private:
  cuda::Status status_;
};

}  // namespace egpu::inject
