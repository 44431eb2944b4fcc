// What every exported function of the runtime does besides its work: see to the context, remember
// its error for cudaGetLastError().
//
//   EGPU_API cudaMalloc(void** pointer, std::size_t bytes) {
//     return in_context([&]() -> Error { return cuMemAlloc_v2(...); });
//   }
//
// Driver functions are called by their exported names, so that whoever hooks or probes
// libcuda.so.1 sees what a program does, as with NVIDIA's runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "emu/driver/api.h"
#include "emu/runtime/types.h"

// NOLINTBEGIN(bugprone-macro-parentheses): names, parameters and suffixes are no expressions
#define EGPU_API extern "C" [[gnu::visibility("default")]] ::egpu::emu::runtime::Error

// A function that exists twice: `name`, where stream 0 is the legacy stream, and `name ## suffix`,
// where it is the calling thread's. The body knows which by `per_thread`.
#define EGPU_API_FORMS(name, suffix, parameters, arguments)                     \
  template <bool per_thread>                                                    \
  static Error name##_body parameters;                                          \
  EGPU_API name parameters {                                                    \
    return in_context([&]() -> Error { return name##_body<false> arguments; }); \
  }                                                                             \
  EGPU_API name##suffix parameters {                                            \
    return in_context([&]() -> Error { return name##_body<true> arguments; });  \
  }                                                                             \
  template <bool per_thread>                                                    \
  static Error name##_body parameters

// The driver's function in the form of the caller.
#define EGPU_FORM(name, suffix) (per_thread ? &name##suffix : &name)
// NOLINTEND(bugprone-macro-parentheses)

// Ends the function with the error of `expression`, unless it is 0.
#define EGPU_CHECK(expression)                                                \
  do {                                                                        \
    if (const Error error_ = (expression); error_ != kSuccess) return error_; \
  } while (false)

namespace egpu::emu::runtime {

using namespace driver::api;  // NOLINT(google-build-using-namespace): the driver's functions

// Starts the driver, once. The error is that of cuInit.
Error start();
// start(), and a context for the calling thread: the one it has, else its device's primary one.
Error enter();

// Keeps an error until cudaGetLastError(); "not ready" is no error.
Error remember(Error error);

template <class Function>
Error in_context(Function&& function) {
  Error error = enter();
  if (error == kSuccess) error = std::forward<Function>(function)();
  return remember(error);
}

template <class Function>
Error without_context(Function&& function) {
  Error error = start();
  if (error == kSuccess) error = std::forward<Function>(function)();
  return remember(error);
}

// What the next cudaGetLastError() will say.
Error last_error();

// The calling thread's device.
int current_device();

// "egpu emulator: TEXT" on standard error.
void say(const char* text, const char* detail = "");

// The driver takes addresses as numbers.
inline cuda::DevicePointer address(const void* pointer) {
  return reinterpret_cast<cuda::DevicePointer>(pointer);
}
// The driver gives addresses where the runtime gives pointers.
inline cuda::DevicePointer* address_out(void** pointer) {
  return reinterpret_cast<cuda::DevicePointer*>(pointer);
}

}  // namespace egpu::emu::runtime
