// Devices and what can be asked of them.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>

#include "emu/driver/device_limits.h"
#include "emu/driver/functions.h"
#include "emu/driver/identity.h"
#include "emu/driver/state.h"

namespace egpu::emu::driver {
namespace {

struct Value {
  cuda::DeviceAttribute attribute;
  int value;
};

// What is not zero. Features that an attribute announces and the emulator lacks are zero: textures,
// sharing with other processes, memory operations of streams, compression.
constexpr Value kValues[] = {
    {cuda::kMaxThreadsPerBlock, kMaxBlockThreads},
    {cuda::kMaxBlockDimX, kMaxBlockDim[0]},
    {cuda::kMaxBlockDimY, kMaxBlockDim[1]},
    {cuda::kMaxBlockDimZ, kMaxBlockDim[2]},
    {cuda::kMaxGridDimX, kMaxGridDim[0]},
    {cuda::kMaxGridDimY, kMaxGridDim[1]},
    {cuda::kMaxGridDimZ, kMaxGridDim[2]},
    {cuda::kMaxSharedMemoryPerBlock, kSharedPerBlock},
    {cuda::kTotalConstantMemory, kConstantBytes},
    {cuda::kWarpSize, kWarpLanes},
    {cuda::kMaxPitch, 0x7fffffff},
    {cuda::kMaxRegistersPerBlock, kRegistersPerBlock},
    {cuda::kClockRate, 1'000'000},  // kHz: clocks and nanoseconds are the same
    {cuda::kTextureAlignment, 512},
    {cuda::kGpuOverlap, 1},
    {cuda::kMultiprocessorCount, kMultiprocessors},
    {cuda::kCanMapHostMemory, 1},
    {cuda::kSurfaceAlignment, 512},
    {cuda::kConcurrentKernels, 1},
    {cuda::kPciDomainId, kPciDomain},
    {cuda::kMemoryClockRate, 1'000'000},
    {cuda::kGlobalMemoryBusWidth, 64},
    {cuda::kL2CacheSize, 1 << 20},
    {cuda::kMaxThreadsPerMultiprocessor, kMaxMultiprocessorThreads},
    {cuda::kAsyncEngineCount, 3},
    {cuda::kUnifiedAddressing, 1},
    {cuda::kTexturePitchAlignment, 32},
    {cuda::kComputeCapabilityMajor, kComputeMajor},
    {cuda::kComputeCapabilityMinor, kComputeMinor},
    {cuda::kStreamPrioritiesSupported, 1},
    {cuda::kGlobalL1CacheSupported, 1},
    {cuda::kLocalL1CacheSupported, 1},
    {cuda::kMaxSharedMemoryPerMultiprocessor, kSharedPerMultiprocessor},
    {cuda::kMaxRegistersPerMultiprocessor, kRegistersPerMultiprocessor},
    {cuda::kManagedMemory, 1},
    {cuda::kHostNativeAtomicSupported, 1},
    {cuda::kSingleToDoublePrecisionPerfRatio, 2},
    {cuda::kConcurrentManagedAccess, 1},
    {cuda::kComputePreemptionSupported, 1},
    {cuda::kCanUseHostPointerForRegisteredMem, 1},
    {cuda::kCooperativeLaunch, 1},
    {cuda::kMaxSharedMemoryPerBlockOptin, kSharedPerBlockOptin},
    {cuda::kHostRegisterSupported, 1},
    {cuda::kVirtualMemoryManagementSupported, 1},
    {cuda::kMaxBlocksPerMultiprocessor, kMaxMultiprocessorBlocks},
    {cuda::kReservedSharedMemoryPerBlock, kSharedReserved},
    {cuda::kReadOnlyHostRegisterSupported, 1},
    {cuda::kMemoryPoolsSupported, 1},
    {cuda::kClusterLaunch, 1},
    {cuda::kMemSyncDomainCount, 1},
    {cuda::kNumaId, -1},
};

constexpr cuda::DeviceAttribute kKnown[] = {
#define EGPU_KNOWN(constant, name, number) number,
    EGPU_DEVICE_ATTRIBUTES(EGPU_KNOWN)
#undef EGPU_KNOWN
};

Status check_device(cuda::Device ordinal, Device*& device) {
  EGPU_STATUS(check_driver());
  device = find_device(ordinal);
  return device != nullptr ? cuda::kSuccess : cuda::kInvalidDevice;
}

using PciAddress = std::array<unsigned, 3>;  // domain, bus, slot

// "DOMAIN:BUS:SLOT", hexadecimal; a ".FUNCTION" after it is of no interest.
std::optional<PciAddress> parse_pci_address(const char* text) {
  const char* const end = text + std::strlen(text);
  PciAddress address{};
  for (unsigned& part : address) {
    if (&part != address.data() && *text++ != ':') return std::nullopt;
    const auto [rest, error] = std::from_chars(text, end, part, 16);
    if (error != std::errc()) return std::nullopt;
    text = rest;
  }
  return address;
}

}  // namespace

Status device_get(cuda::Device* ordinal, int number) {
  Device* device = nullptr;
  EGPU_STATUS(check_device(number, device));
  if (ordinal == nullptr) return cuda::kInvalidValue;
  *ordinal = number;
  return cuda::kSuccess;
}

Status device_get_count(int* count) {
  EGPU_STATUS(check_driver());
  if (count == nullptr) return cuda::kInvalidValue;
  *count = static_cast<int>(driver().devices.size());
  return cuda::kSuccess;
}

Status device_get_name(char* name, int size, cuda::Device ordinal) {
  Device* device = nullptr;
  EGPU_STATUS(check_device(ordinal, device));
  if (name == nullptr || size <= 0) return cuda::kInvalidValue;
  std::snprintf(name, static_cast<std::size_t>(size), "%s", kDeviceName);
  return cuda::kSuccess;
}

Status device_get_uuid(cuda::Uuid* uuid, cuda::Device ordinal) {
  Device* device = nullptr;
  EGPU_STATUS(check_device(ordinal, device));
  if (uuid == nullptr) return cuda::kInvalidValue;
  *uuid = device->uuid;
  return cuda::kSuccess;
}

Status device_total_mem(std::size_t* bytes, cuda::Device ordinal) {
  Device* device = nullptr;
  EGPU_STATUS(check_device(ordinal, device));
  if (bytes == nullptr) return cuda::kInvalidValue;
  *bytes = device->memory.limit();
  return cuda::kSuccess;
}

Status device_get_attribute(int* value, cuda::DeviceAttribute attribute, cuda::Device ordinal) {
  Device* device = nullptr;
  EGPU_STATUS(check_device(ordinal, device));
  if (value == nullptr || std::ranges::find(kKnown, attribute) == std::end(kKnown))
    return cuda::kInvalidValue;
  const auto* found = std::ranges::find(kValues, attribute, &Value::attribute);
  *value = found != std::end(kValues) ? found->value : 0;
  if (attribute == cuda::kPciBusId) *value = static_cast<int>(pci_bus(device->ordinal));
  if (attribute == cuda::kMultiGpuBoardGroupId) *value = device->ordinal;
  return cuda::kSuccess;
}

Status device_compute_capability(int* major, int* minor, cuda::Device ordinal) {
  EGPU_STATUS(device_get_attribute(major, cuda::kComputeCapabilityMajor, ordinal));
  return device_get_attribute(minor, cuda::kComputeCapabilityMinor, ordinal);
}

Status device_get_pci_bus_id(char* id, int size, cuda::Device ordinal) {
  Device* device = nullptr;
  EGPU_STATUS(check_device(ordinal, device));
  if (id == nullptr || size <= 0) return cuda::kInvalidValue;
  std::snprintf(id, static_cast<std::size_t>(size), "%04x:%02x:00.0", kPciDomain,
                pci_bus(device->ordinal));
  return cuda::kSuccess;
}

Status device_get_by_pci_bus_id(cuda::Device* ordinal, const char* id) {
  EGPU_STATUS(check_driver());
  if (ordinal == nullptr || id == nullptr) return cuda::kInvalidValue;
  const auto address = parse_pci_address(id);
  if (!address) return cuda::kInvalidValue;
  for (const auto& device : driver().devices) {
    if (*address != PciAddress{kPciDomain, pci_bus(device->ordinal), 0}) continue;
    *ordinal = device->ordinal;
    return cuda::kSuccess;
  }
  return cuda::kInvalidDevice;
}

}  // namespace egpu::emu::driver
