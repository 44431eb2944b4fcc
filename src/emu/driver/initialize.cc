// cuInit: what the environment asks for, the devices, and the injected library.
#include "emu/driver/initialize.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>

#include "abi/protocol.h"
#include "emu/driver/contexts.h"
#include "emu/driver/functions.h"
#include "emu/driver/identity.h"
#include "emu/driver/pools.h"

extern "C" int egpu_real_cxa_atexit(void (*)(void*), void*, void*) __asm__("__real___cxa_atexit");

// Objects with static storage are not destroyed at exit: kernels may still run, and exit handlers
// of other libraries call the driver. The linker (--wrap) gives this library's registrations to
// this.
extern "C" [[gnu::visibility("hidden")]] int egpu_wrap_cxa_atexit(
    void (*)(void*), void*, void*) __asm__("__wrap___cxa_atexit");
extern "C" int egpu_wrap_cxa_atexit(void (*)(void*), void*, void*) { return 0; }

namespace egpu::emu::driver {
namespace {

void shut_down(void*) { driver().deinitialized = true; }

// A child has none of the threads that work here.
void note_fork() { driver().forked = true; }

void inject() {
  const char* path = std::getenv(abi::kInjectionVariable);
  if (path == nullptr || *path == '\0') return;
  void* library = ::dlopen(path, RTLD_NOW);
  if (library == nullptr) return say(std::string("the injection library: ") + ::dlerror());
  using Initialize = int (*)();
  if (const auto initialize = reinterpret_cast<Initialize>(::dlsym(library, "InitializeInjection")))
    initialize();
}

}  // namespace

Status initialize(unsigned flags) {
  Driver& state = driver();
  static constinit std::mutex mutex;
  if (flags != 0) return cuda::kInvalidValue;
  if (state.forked) return cuda::kNotInitialized;
  {
    const std::lock_guard lock(mutex);
    if (state.initialized) return cuda::kSuccess;
    state.settings = read_settings();
    for (unsigned i = 0; i < state.settings.devices; ++i)
      state.devices.push_back(
          std::make_unique<Device>(static_cast<int>(i), state.settings.memory_bytes));
    make_primary_contexts();
    make_default_pools();
    egpu_real_cxa_atexit(shut_down, nullptr, nullptr);
    ::pthread_atfork(nullptr, nullptr, note_fork);
    state.initialized = true;
  }
  inject();
  return cuda::kSuccess;
}

Status driver_get_version(int* version) {
  if (version == nullptr) return cuda::kInvalidValue;
  *version = kDriverVersion;
  return cuda::kSuccess;
}

}  // namespace egpu::emu::driver
