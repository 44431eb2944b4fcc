#include "emu/driver/state.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "emu/driver/device_limits.h"

namespace egpu::emu::driver {
namespace {

// The same for a device whenever and wherever it is emulated.
cuda::Uuid make_uuid(int ordinal) {
  cuda::Uuid uuid{};
  std::memcpy(uuid.bytes, "egpu emulator", 13);
  uuid.bytes[15] = static_cast<unsigned char>(ordinal);
  return uuid;
}

}  // namespace

Device::Device(int number, std::uint64_t memory_bytes)
    : ordinal(number), uuid(make_uuid(number)), memory(memory_bytes) {}

Driver& driver() {
  static Driver* const kInstance = new Driver;
  return *kInstance;
}

Device* find_device(cuda::Device ordinal) {
  const auto& devices = driver().devices;
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= devices.size()) return nullptr;
  return devices[static_cast<std::size_t>(ordinal)].get();
}

void say(const std::string& text) {
  const std::string line = "egpu emulator: " + text + '\n';
  std::fputs(line.c_str(), stderr);
}

std::uint64_t this_thread() {
  static std::atomic<std::uint64_t> next{1};
  thread_local const std::uint64_t kNumber = next++;
  return kNumber;
}

Status check_driver() {
  Driver& state = driver();
  if (state.deinitialized) return cuda::kDeinitialized;
  if (!state.initialized || state.forked) return cuda::kNotInitialized;
  return in_callback ? cuda::kNotPermitted : cuda::kSuccess;
}

}  // namespace egpu::emu::driver
