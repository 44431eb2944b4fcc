#include "emu/driver/state.h"

#include <cstring>

#include "emu/driver/identity.h"

namespace egpu::emu::driver {
namespace {

cuda::Uuid uuid_of(int ordinal) {
  cuda::Uuid uuid{};
  const auto bytes = device_uuid(ordinal);
  std::memcpy(uuid.bytes, bytes.data(), sizeof uuid.bytes);
  return uuid;
}

}  // namespace

Device::Device(int number, std::uint64_t memory_bytes)
    : ordinal(number), uuid(uuid_of(number)), memory(memory_bytes) {}

Driver& driver() {
  static Driver* const instance = new Driver;
  return *instance;
}

Device* find_device(cuda::Device ordinal) {
  const auto& devices = driver().devices;
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= devices.size()) return nullptr;
  return devices[static_cast<std::size_t>(ordinal)].get();
}

std::uint64_t this_thread() {
  static std::atomic<std::uint64_t> next{1};
  thread_local const std::uint64_t number = next++;
  return number;
}

Status check_driver() {
  Driver& state = driver();
  if (state.deinitialized) return cuda::kDeinitialized;
  if (!state.initialized || state.forked) return cuda::kNotInitialized;
  return in_callback ? cuda::kNotPermitted : cuda::kSuccess;
}

}  // namespace egpu::emu::driver
