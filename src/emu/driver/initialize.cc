// cuInit: what the environment asks for, the devices, and the injected library.
#include "emu/driver/initialize.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "abi/protocol.h"
#include "emu/driver/contexts.h"
#include "emu/driver/functions.h"
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

constexpr int kVersion = 13000;
constexpr std::uint64_t kMostMemory = std::uint64_t{4} << 30;
constexpr unsigned kMostDevices = 8;

// The variable's value where it is a number in the range; says so where it is not.
std::uint64_t setting(const char* variable, std::uint64_t otherwise, std::uint64_t least,
                      std::uint64_t most) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return otherwise;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error == std::errc() && *end == '\0' && value >= least && value <= most) return value;
  say(std::string(variable) + "=" + text + " is no number from " + std::to_string(least) + " to " +
      std::to_string(most) + "; " + std::to_string(otherwise) + " is used");
  return otherwise;
}

std::uint64_t device_memory() {
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::min(kMostMemory, pages * page / 2);
}

Settings read_settings() {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  constexpr unsigned kMostThreads = 1024;
  return {
      .devices = static_cast<unsigned>(setting("EGPU_EMULATOR_DEVICES", 1, 1, kMostDevices)),
      .workers = static_cast<unsigned>(setting("EGPU_EMULATOR_THREADS", cores, 1, kMostThreads)),
      .budget = setting("EGPU_EMULATOR_BUDGET", 0, 0, UINT64_MAX),
      .memory_bytes = device_memory(),
  };
}

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
  *version = kVersion;
  return cuda::kSuccess;
}

}  // namespace egpu::emu::driver
