// The exported functions: an entry of the real driver's shape each (cuda/driver_entry.h), which
// jumps to the body through a pointer, so that bodies are ordinary C++ and the two forms of a
// function with a default stream share one.
#include "cuda/driver_entry.h"
#include "emu/driver/default_stream.h"
#include "emu/driver/functions.h"

namespace egpu::emu::driver {
namespace {

template <auto body>
struct PerThread;
template <class... Parameters, Status (*body)(Parameters...)>
struct PerThread<body> {
  static Status call(Parameters... parameters) {
    const PerThreadDefaultStream scope;
    return body(parameters...);
  }
};

}  // namespace

// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses): the driver's names; what
// `parameters` stands for has parentheses.
extern "C" {

// Compared by every entry, changed by nobody.
[[gnu::visibility("hidden"), gnu::used]] int egpu_emulated_driver_state = 0;

#define EGPU_POINTER(pointer, ...) \
  [[gnu::visibility("hidden"), gnu::used]] extern const auto pointer = __VA_ARGS__;

#define EGPU_DEFINE(name, suffix, since, body, parameters)                                 \
  EGPU_POINTER(egpu_body_##name##suffix, static_cast<Status(*) parameters>(&driver::body)) \
  EGPU_DRIVER_ENTRY(name##suffix, "egpu_emulated_driver_state",                            \
                    "*egpu_body_" #name #suffix "(%rip)");
#define EGPU_DEFINE_P(name, suffix, since, body, per_thread, parameters)           \
  EGPU_DEFINE(name, suffix, since, body, parameters)                               \
  EGPU_POINTER(egpu_body_##name##suffix##per_thread,                               \
               &PerThread<static_cast<Status(*) parameters>(&driver::body)>::call) \
  EGPU_DRIVER_ENTRY(name##suffix##per_thread, "egpu_emulated_driver_state",        \
                    "*egpu_body_" #name #suffix #per_thread "(%rip)");
EGPU_EMULATED_FUNCTIONS(EGPU_DEFINE, EGPU_DEFINE_P)

}  // extern "C"
// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)
}  // namespace egpu::emu::driver
