// libnvidia-ml.so.1 for emulated devices: who they are and how much memory they have. They have no
// power, temperature or clocks, and know nothing of other processes: those questions are not
// supported. As with the driver stand-in, each process has devices of its own.
#include <dlfcn.h>
#include <strings.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>

#include "emu/driver/device_limits.h"
#include "emu/driver/identity.h"
#include "emu/driver/memory_in_use.h"
#include "emu/driver/settings.h"
#include "emu/nvml/nvml_types.h"

namespace egpu::emu::nvml {
namespace {

constexpr char kVersion[] = "egpu emulator";  // there is no driver whose version this could be

std::atomic<int> users = 0;

// Never destroyed: exit handlers may ask.
const driver::Settings& settings() {
  static const auto* const instance = new driver::Settings(driver::read_settings());
  return *instance;
}

// A handle is the device's number, from 1.
Device handle_of(unsigned index) {
  return reinterpret_cast<Device>(std::uintptr_t{index} + 1);  // NOLINT(performance-no-int-to-ptr)
}

Return check() { return users > 0 ? kSuccess : kUninitialized; }

Return check(Device device, unsigned& index) {
  if (users == 0) return kUninitialized;
  const auto number = reinterpret_cast<std::uintptr_t>(device);
  if (number == 0 || number > settings().devices) return kInvalidArgument;
  index = static_cast<unsigned>(number - 1);
  return kSuccess;
}

Return answer(const std::string& value, char* text, unsigned size) {
  if (text == nullptr) return kInvalidArgument;
  if (value.size() >= size) return kInsufficientSize;
  std::memcpy(text, value.c_str(), value.size() + 1);
  return kSuccess;
}

std::string uuid_of(unsigned index) {
  return "GPU-" + driver::uuid_text(driver::device_uuid(static_cast<int>(index)));
}

PciInfo pci_info(unsigned index) {
  PciInfo info{};
  info.domain = driver::kPciDomain;
  info.bus = driver::pci_bus(static_cast<int>(index));
  std::snprintf(info.legacy_bus_id, sizeof info.legacy_bus_id, "%04x:%02x:00.0",
                info.domain & 0xffff, info.bus & 0xff);
  std::snprintf(info.bus_id, sizeof info.bus_id, "%08x:%02x:00.0", info.domain, info.bus & 0xff);
  return info;
}

// By this process, which has the driver stand-in or uses no device.
std::uint64_t memory_in_use(unsigned index) {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return 0;
  const auto ask = reinterpret_cast<driver::MemoryInUse>(::dlsym(library, driver::kMemoryInUse));
  const std::uint64_t used = ask != nullptr ? ask(static_cast<int>(index)) : 0;
  ::dlclose(library);
  return used;
}

template <class Matches>
Return find(Device* device, Matches&& matches) {
  if (const Return result = check(); result != kSuccess) return result;
  if (device == nullptr) return kInvalidArgument;
  for (unsigned i = 0; i < settings().devices; ++i) {
    if (!matches(i)) continue;
    *device = handle_of(i);
    return kSuccess;
  }
  return kNotFound;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): NVML's names
#define EGPU_NVML extern "C" [[gnu::visibility("default")]]

EGPU_NVML Return nvmlInit() { return nvmlInitWithFlags(0); }
EGPU_NVML Return nvmlInit_v2() { return nvmlInitWithFlags(0); }
EGPU_NVML Return nvmlInitWithFlags(unsigned) {
  ++users;
  return kSuccess;
}

EGPU_NVML Return nvmlShutdown() {
  int before = users;
  while (before > 0)
    if (users.compare_exchange_weak(before, before - 1)) return kSuccess;
  return kUninitialized;
}

EGPU_NVML const char* nvmlErrorString(Return result) {
  switch (result) {
    case kSuccess:
      return "no error";
    case kUninitialized:
      return "nvmlInit was not called";
    case kInvalidArgument:
      return "invalid argument";
    case kNotSupported:
      return "not supported by emulated devices";
    case kNotFound:
      return "not found";
    case kInsufficientSize:
      return "the buffer is too small";
    case kVersionMismatch:
      return "the structure has another version";
    default:
      return "unknown error";
  }
}

EGPU_NVML Return nvmlSystemGetDriverVersion(char* text, unsigned size) {
  const Return result = check();
  return result == kSuccess ? answer(kVersion, text, size) : result;
}
EGPU_NVML Return nvmlSystemGetNVMLVersion(char* text, unsigned size) {
  const Return result = check();
  return result == kSuccess ? answer(kVersion, text, size) : result;
}

EGPU_NVML Return nvmlSystemGetCudaDriverVersion(int* version) {
  if (version == nullptr) return kInvalidArgument;
  *version = driver::kDriverVersion;
  return kSuccess;
}
EGPU_NVML Return nvmlSystemGetCudaDriverVersion_v2(int* version) {
  return nvmlSystemGetCudaDriverVersion(version);
}

EGPU_NVML Return nvmlDeviceGetCount(unsigned* count) {
  if (const Return result = check(); result != kSuccess) return result;
  if (count == nullptr) return kInvalidArgument;
  *count = settings().devices;
  return kSuccess;
}
EGPU_NVML Return nvmlDeviceGetCount_v2(unsigned* count) { return nvmlDeviceGetCount(count); }

EGPU_NVML Return nvmlDeviceGetHandleByIndex(unsigned index, Device* device) {
  const Return result = find(device, [&](unsigned i) { return i == index; });
  return result == kNotFound ? kInvalidArgument : result;
}
EGPU_NVML Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  return nvmlDeviceGetHandleByIndex(index, device);
}

EGPU_NVML Return nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
  if (uuid == nullptr) return kInvalidArgument;
  return find(device, [&](unsigned i) { return uuid_of(i) == uuid; });
}

EGPU_NVML Return nvmlDeviceGetHandleByPciBusId(const char* id, Device* device) {
  if (id == nullptr) return kInvalidArgument;
  return find(device, [&](unsigned i) {
    const PciInfo info = pci_info(i);
    return ::strcasecmp(id, info.bus_id) == 0 || ::strcasecmp(id, info.legacy_bus_id) == 0;
  });
}
EGPU_NVML Return nvmlDeviceGetHandleByPciBusId_v2(const char* id, Device* device) {
  return nvmlDeviceGetHandleByPciBusId(id, device);
}

EGPU_NVML Return nvmlDeviceGetIndex(Device device, unsigned* index) {
  unsigned found = 0;
  if (const Return result = check(device, found); result != kSuccess) return result;
  if (index == nullptr) return kInvalidArgument;
  *index = found;
  return kSuccess;
}

EGPU_NVML Return nvmlDeviceGetName(Device device, char* text, unsigned size) {
  unsigned index = 0;
  const Return result = check(device, index);
  return result == kSuccess ? answer(driver::kDeviceName, text, size) : result;
}

EGPU_NVML Return nvmlDeviceGetUUID(Device device, char* text, unsigned size) {
  unsigned index = 0;
  const Return result = check(device, index);
  return result == kSuccess ? answer(uuid_of(index), text, size) : result;
}

EGPU_NVML Return nvmlDeviceGetPciInfo_v3(Device device, PciInfo* info) {
  unsigned index = 0;
  if (const Return result = check(device, index); result != kSuccess) return result;
  if (info == nullptr) return kInvalidArgument;
  *info = pci_info(index);
  return kSuccess;
}
// For these the structure was shorter: it ended before the long id.
EGPU_NVML Return nvmlDeviceGetPciInfo_v2(Device device, PciInfo* info) {
  PciInfo whole{};
  const Return result = nvmlDeviceGetPciInfo_v3(device, info != nullptr ? &whole : nullptr);
  if (result == kSuccess) std::memcpy(info, &whole, offsetof(PciInfo, bus_id));
  return result;
}
EGPU_NVML Return nvmlDeviceGetPciInfo(Device device, PciInfo* info) {
  return nvmlDeviceGetPciInfo_v2(device, info);
}

EGPU_NVML Return nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
  unsigned index = 0;
  if (const Return result = check(device, index); result != kSuccess) return result;
  if (memory == nullptr) return kInvalidArgument;
  const std::uint64_t used = memory_in_use(index);
  *memory = {
      .total = settings().memory_bytes, .free = settings().memory_bytes - used, .used = used};
  return kSuccess;
}

EGPU_NVML Return nvmlDeviceGetMemoryInfo_v2(Device device, MemoryV2* memory) {
  if (memory == nullptr) return kInvalidArgument;
  if (memory->version != kMemoryV2) return kVersionMismatch;
  Memory plain{};
  if (const Return result = nvmlDeviceGetMemoryInfo(device, &plain); result != kSuccess)
    return result;
  *memory = {.version = kMemoryV2,
             .total = plain.total,
             .reserved = 0,
             .free = plain.free,
             .used = plain.used};
  return kSuccess;
}

EGPU_NVML Return nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor) {
  unsigned index = 0;
  if (const Return result = check(device, index); result != kSuccess) return result;
  if (major == nullptr || minor == nullptr) return kInvalidArgument;
  *major = driver::kComputeMajor;
  *minor = driver::kComputeMinor;
  return kSuccess;
}

#define EGPU_REFUSE(name) \
  EGPU_NVML Return name() { return users > 0 ? kNotSupported : kUninitialized; }
EGPU_NVML_UNSUPPORTED(EGPU_REFUSE)
#undef EGPU_REFUSE
// NOLINTEND(readability-identifier-naming)

}  // namespace egpu::emu::nvml
