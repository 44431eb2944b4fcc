// Virtual memory management: addresses are reserved, physical memory is made, the one is mapped to
// the other, and devices are given access.
//
// Physical memory is an anonymous file, so that it can be mapped several times. The host's mapping
// is always readable and writable: what kernels may use is decided by the devices' emu::Memory.
#include <sys/mman.h>
#include <unistd.h>

#include <map>

#include "base/fd.h"
#include "emu/driver/capture.h"
#include "emu/driver/contexts.h"
#include "emu/driver/functions.h"
#include "emu/driver/memory.h"

namespace egpu::emu::driver {
namespace {

constexpr std::size_t kGranularity = 2 << 20;

struct Physical {
  Physical(Device& of, std::uint64_t size, UniqueFd memory, const cuda::MemoryProperties& made_with)
      : device(of), bytes(size), file(std::move(memory)), properties(made_with) {
    device.physical_bytes += bytes;
  }
  ~Physical() { device.physical_bytes -= bytes; }
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;

  Device& device;
  const std::uint64_t bytes;
  const UniqueFd file;
  const cuda::MemoryProperties properties;
};

struct Mapping {
  std::uint64_t bytes = 0;
  cuda::PhysicalMemory handle = 0;
  std::shared_ptr<Physical> memory;
  std::set<Device*> devices;  // that have access
};

struct Handle {
  std::shared_ptr<Physical> memory;
  unsigned references = 1;
};

struct State {
  std::mutex mutex;
  std::map<std::uint64_t, std::uint64_t> reservations;  // bytes by address
  std::map<cuda::PhysicalMemory, Handle> handles;
  std::map<std::uint64_t, Mapping> mappings;  // by address
  cuda::PhysicalMemory next_handle = 1;
};

State& state() {
  static auto* const instance = new State;
  return *instance;
}

void* as_pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

bool is_multiple(std::uint64_t value, std::uint64_t of) { return value % of == 0; }

constexpr int kReserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

// A reserved range of addresses that begins at a multiple of `alignment`; 0: there is none.
std::uint64_t reserve(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t wanted) {
  void* mapped = ::mmap(as_pointer(wanted), bytes + alignment, PROT_NONE, kReserved, -1, 0);
  if (mapped == MAP_FAILED) return 0;
  const auto start = reinterpret_cast<std::uint64_t>(mapped);
  const std::uint64_t first = (start + alignment - 1) / alignment * alignment;
  if (first > start) ::munmap(mapped, first - start);
  ::munmap(as_pointer(first + bytes), start + alignment - first);
  return first;
}

// The reservation that holds all of the range.
bool is_reserved(const State& vmm, std::uint64_t address, std::uint64_t bytes) {
  auto after = vmm.reservations.upper_bound(address);
  if (after == vmm.reservations.begin()) return false;
  const auto& [first, size] = *std::prev(after);
  return bytes <= size && address - first <= size - bytes;
}

bool is_mapped(const State& vmm, std::uint64_t address, std::uint64_t bytes) {
  const auto next = vmm.mappings.lower_bound(address);
  if (next != vmm.mappings.end() && next->first < address + bytes) return true;
  if (next == vmm.mappings.begin()) return false;
  const auto& [first, mapping] = *std::prev(next);
  return address - first < mapping.bytes;
}

// The mappings that make up the range exactly; empty where they do not.
std::vector<std::map<std::uint64_t, Mapping>::iterator> mappings_of(State& vmm,
                                                                    std::uint64_t address,
                                                                    std::uint64_t bytes) {
  std::vector<std::map<std::uint64_t, Mapping>::iterator> found;
  const std::uint64_t end = address + bytes;
  while (address < end) {
    const auto mapping = vmm.mappings.find(address);
    if (mapping == vmm.mappings.end() || mapping->second.bytes > end - address) return {};
    address += mapping->second.bytes;
    found.push_back(mapping);
  }
  return found;
}

Range range_of(const std::pair<const std::uint64_t, Mapping>& mapping) {
  return {.first = mapping.first, .end = mapping.first + mapping.second.bytes};
}

void give_access(std::pair<const std::uint64_t, Mapping>& mapping, Device& device) {
  if (mapping.second.devices.empty())
    add_allocation({.address = mapping.first,
                    .bytes = mapping.second.bytes,
                    .kind = MemoryKind::kMapped,
                    .device = &mapping.second.memory->device});
  if (mapping.second.devices.insert(&device).second) device.memory.add(range_of(mapping));
}

void take_access(std::pair<const std::uint64_t, Mapping>& mapping, Device& device) {
  if (mapping.second.devices.erase(&device) == 0) return;
  device.memory.remove(mapping.first);
  if (mapping.second.devices.empty())
    take_allocation(mapping.first, [](const Allocation&) { return true; });
}

void wait_for_devices() {
  for (Context* context : all_contexts()) wait_for_all(*context);
}

Status check_properties(const cuda::MemoryProperties* properties, Device*& device) {
  if (properties == nullptr || properties->type != cuda::kAllocationPinned)
    return cuda::kInvalidValue;
  if (properties->requested_handle_types != cuda::kHandleNone ||
      properties->location.type != cuda::kLocationDevice)
    return cuda::kNotSupported;
  device = find_device(properties->location.id);
  return device != nullptr ? cuda::kSuccess : cuda::kInvalidDevice;
}

}  // namespace

Status mem_address_reserve(DevicePointer* address, std::size_t bytes, std::size_t alignment,
                           DevicePointer wanted, unsigned long long flags) {
  EGPU_STATUS(check_driver());
  if (address == nullptr || bytes == 0 || !is_multiple(bytes, kGranularity) || flags != 0 ||
      (alignment & (alignment - 1)) != 0)
    return cuda::kInvalidValue;
  const std::uint64_t reserved = reserve(bytes, std::max(alignment, kGranularity), wanted);
  if (reserved == 0) return cuda::kOutOfMemory;
  State& vmm = state();
  const std::lock_guard lock(vmm.mutex);
  vmm.reservations[reserved] = bytes;
  *address = reserved;
  return cuda::kSuccess;
}

Status mem_address_free(DevicePointer address, std::size_t bytes) {
  EGPU_STATUS(check_driver());
  State& vmm = state();
  const std::lock_guard lock(vmm.mutex);
  const auto found = vmm.reservations.find(address);
  if (found == vmm.reservations.end() || found->second != bytes || is_mapped(vmm, address, bytes))
    return cuda::kInvalidValue;
  vmm.reservations.erase(found);
  ::munmap(as_pointer(address), bytes);
  return cuda::kSuccess;
}

Status mem_create(cuda::PhysicalMemory* handle, std::size_t bytes,
                  const cuda::MemoryProperties* properties, unsigned long long flags) {
  EGPU_STATUS(check_driver());
  Device* device = nullptr;
  EGPU_STATUS(check_properties(properties, device));
  if (handle == nullptr || bytes == 0 || !is_multiple(bytes, kGranularity) || flags != 0)
    return cuda::kInvalidValue;
  if (bytes > free_bytes(*device)) return cuda::kOutOfMemory;
  UniqueFd file(::memfd_create("egpu-emulated-memory", MFD_CLOEXEC));
  if (!file || ::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) return cuda::kOutOfMemory;
  State& vmm = state();
  const std::lock_guard lock(vmm.mutex);
  *handle = vmm.next_handle++;
  vmm.handles[*handle] = {
      .memory = std::make_shared<Physical>(*device, bytes, std::move(file), *properties)};
  return cuda::kSuccess;
}

// What is mapped stays until it is unmapped.
Status mem_release(cuda::PhysicalMemory handle) {
  EGPU_STATUS(check_driver());
  State& vmm = state();
  const std::lock_guard lock(vmm.mutex);
  const auto found = vmm.handles.find(handle);
  if (found == vmm.handles.end()) return cuda::kInvalidValue;
  if (--found->second.references == 0) vmm.handles.erase(found);
  return cuda::kSuccess;
}

Status mem_map(DevicePointer address, std::size_t bytes, std::size_t offset,
               cuda::PhysicalMemory handle, unsigned long long flags) {
  EGPU_STATUS(check_driver());
  State& vmm = state();
  const std::lock_guard lock(vmm.mutex);
  const auto found = vmm.handles.find(handle);
  if (found == vmm.handles.end() || bytes == 0 || offset != 0 || flags != 0 ||
      !is_multiple(address, kGranularity) || !is_multiple(bytes, kGranularity) ||
      bytes > found->second.memory->bytes)
    return cuda::kInvalidValue;
  if (!is_reserved(vmm, address, bytes) || is_mapped(vmm, address, bytes))
    return cuda::kInvalidValue;
  const std::shared_ptr<Physical>& memory = found->second.memory;
  if (::mmap(as_pointer(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             memory->file.get(), 0) == MAP_FAILED)
    return cuda::kOutOfMemory;
  vmm.mappings[address] = {.bytes = bytes, .handle = handle, .memory = memory, .devices = {}};
  return cuda::kSuccess;
}

Status mem_unmap(DevicePointer address, std::size_t bytes) {
  EGPU_STATUS(check_driver());
  wait_for_devices();
  State& vmm = state();
  const std::lock_guard lock(vmm.mutex);
  const auto mappings = mappings_of(vmm, address, bytes);
  if (mappings.empty()) return cuda::kInvalidValue;
  for (const auto& mapping : mappings) {
    for (const auto& device : driver().devices) take_access(*mapping, *device);
    if (::mmap(as_pointer(mapping->first), mapping->second.bytes, PROT_NONE, kReserved | MAP_FIXED,
               -1, 0) == MAP_FAILED)
      return cuda::kOutOfMemory;
    vmm.mappings.erase(mapping);
  }
  return cuda::kSuccess;
}

Status mem_set_access(DevicePointer address, std::size_t bytes, const cuda::MemoryAccess* accesses,
                      std::size_t count) {
  EGPU_STATUS(check_driver());
  if (accesses == nullptr || count == 0) return cuda::kInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    if (accesses[i].location.type != cuda::kLocationDevice) return cuda::kNotSupported;
    if (find_device(accesses[i].location.id) == nullptr) return cuda::kInvalidDevice;
    if (accesses[i].flags == cuda::kAccessRead) return cuda::kNotSupported;
    if (accesses[i].flags != cuda::kAccessNone && accesses[i].flags != cuda::kAccessReadWrite)
      return cuda::kInvalidValue;
  }
  wait_for_devices();
  State& vmm = state();
  const std::lock_guard lock(vmm.mutex);
  const auto mappings = mappings_of(vmm, address, bytes);
  if (mappings.empty()) return cuda::kInvalidValue;
  for (const auto& mapping : mappings)
    for (std::size_t i = 0; i < count; ++i) {
      Device& device = *find_device(accesses[i].location.id);
      if (accesses[i].flags == cuda::kAccessReadWrite)
        give_access(*mapping, device);
      else
        take_access(*mapping, device);
    }
  return cuda::kSuccess;
}

Status mem_get_access(unsigned long long* flags, const cuda::MemoryLocation* location,
                      DevicePointer address) {
  EGPU_STATUS(check_driver());
  if (flags == nullptr || location == nullptr) return cuda::kInvalidValue;
  if (location->type != cuda::kLocationDevice) return cuda::kNotSupported;
  Device* device = find_device(location->id);
  if (device == nullptr) return cuda::kInvalidDevice;
  State& vmm = state();
  const std::lock_guard lock(vmm.mutex);
  auto after = vmm.mappings.upper_bound(address);
  if (after == vmm.mappings.begin()) return cuda::kInvalidValue;
  const auto& [first, mapping] = *std::prev(after);
  if (address - first >= mapping.bytes) return cuda::kInvalidValue;
  *flags = mapping.devices.contains(device) ? cuda::kAccessReadWrite : cuda::kAccessNone;
  return cuda::kSuccess;
}

Status mem_get_allocation_granularity(std::size_t* granularity,
                                      const cuda::MemoryProperties* properties, int) {
  EGPU_STATUS(check_driver());
  Device* device = nullptr;
  EGPU_STATUS(check_properties(properties, device));
  if (granularity == nullptr) return cuda::kInvalidValue;
  *granularity = kGranularity;
  return cuda::kSuccess;
}

Status mem_get_allocation_properties_from_handle(cuda::MemoryProperties* properties,
                                                 cuda::PhysicalMemory handle) {
  EGPU_STATUS(check_driver());
  State& vmm = state();
  const std::lock_guard lock(vmm.mutex);
  const auto found = vmm.handles.find(handle);
  if (found == vmm.handles.end() || properties == nullptr) return cuda::kInvalidValue;
  *properties = found->second.memory->properties;
  return cuda::kSuccess;
}

Status mem_retain_allocation_handle(cuda::PhysicalMemory* handle, void* pointer) {
  EGPU_STATUS(check_driver());
  if (handle == nullptr) return cuda::kInvalidValue;
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  State& vmm = state();
  const std::lock_guard lock(vmm.mutex);
  auto after = vmm.mappings.upper_bound(address);
  if (after == vmm.mappings.begin()) return cuda::kInvalidValue;
  const auto& [first, mapping] = *std::prev(after);
  if (address - first >= mapping.bytes) return cuda::kInvalidValue;
  Handle& known = vmm.handles[mapping.handle];
  if (known.memory == nullptr)
    known = {.memory = mapping.memory, .references = 1};
  else
    ++known.references;
  *handle = mapping.handle;
  return cuda::kSuccess;
}

}  // namespace egpu::emu::driver
