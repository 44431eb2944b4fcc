// The driver as a whole: settings, devices, and what every call begins with.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/driver_structs.h"
#include "emu/driver/settings.h"
#include "emu/memory.h"

namespace egpu::emu::driver {

using cuda::DevicePointer;
using cuda::Status;

class Context;

struct Device {
  Device(int number, std::uint64_t memory_bytes);

  const int ordinal;
  const cuda::Uuid uuid;
  emu::Memory memory;
  std::atomic<std::uint64_t> physical_bytes = 0;  // of cuMemCreate
  Context* primary = nullptr;                     // never null once the driver is initialised
};

// Never destroyed: exit handlers of other libraries, and kernels that still run when the process
// ends, use it.
struct Driver {
  std::atomic<bool> initialized = false;
  std::atomic<bool> deinitialized = false;
  std::atomic<bool> forked = false;  // in a child of the process that initialised it
  Settings settings;
  std::vector<std::unique_ptr<Device>> devices;

  // Guards contexts, streams, events, captures and graphs: everything without a mutex of its own.
  // Never held while something runs or is waited for.
  std::mutex mutex;
};
Driver& driver();

// Null: no such device.
Device* find_device(cuda::Device ordinal);

// The calling thread's number, never used again, unlike the system's.
std::uint64_t this_thread();

// True in a thread while it runs an application's callback, which may not call the driver.
inline thread_local bool in_callback = false;

// What every call begins with.
Status check_driver();

}  // namespace egpu::emu::driver

// Returns from the caller where the call failed.
#define EGPU_STATUS(...)                                        \
  do {                                                          \
    if (const ::egpu::cuda::Status egpu_status = (__VA_ARGS__); \
        egpu_status != ::egpu::cuda::kSuccess)                  \
      return egpu_status;                                       \
  } while (0)
