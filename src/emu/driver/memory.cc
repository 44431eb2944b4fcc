#include "emu/driver/memory.h"

#include <sys/mman.h>

#include <map>
#include <string>

#include "emu/driver/contexts.h"
#include "emu/driver/memory_in_use.h"
#include "emu/driver/pools.h"

namespace egpu::emu::driver {
namespace {

struct Table {
  std::mutex mutex;
  std::map<std::uint64_t, Allocation> allocations;  // by address
  std::uint64_t next_id = 1;
};

Table& table() {
  static auto* const instance = new Table;
  return *instance;
}

Range range_of(const Allocation& allocation) {
  return {.first = allocation.address, .end = allocation.address + allocation.bytes};
}

const Allocation* find_in(const Table& memory, std::uint64_t address) {
  auto after = memory.allocations.upper_bound(address);
  if (after == memory.allocations.begin()) return nullptr;
  const Allocation& before = std::prev(after)->second;
  return address - before.address < before.bytes ? &before : nullptr;
}

// Memory that the owner shows to the devices of its peers.
bool is_shown_to_peers(const Allocation& allocation) {
  return allocation.kind == MemoryKind::kDevice;
}

void add_viewer(Allocation& allocation, Device& viewer) {
  if (&viewer == allocation.device || !allocation.viewers.insert(&viewer).second) return;
  viewer.memory.add(range_of(allocation));
}

std::vector<Device*> peers_of(const Context& owner) {
  const std::lock_guard lock(driver().mutex);
  return {owner.shown_to.begin(), owner.shown_to.end()};
}

void unmap_pages(const Allocation& allocation) {
  void* address = reinterpret_cast<void*>(allocation.address);  // NOLINT(performance-no-int-to-ptr)
  ::munmap(address, allocation.bytes);
}

}  // namespace

void add_allocation(Allocation allocation) {
  std::vector<Device*> viewers;
  if (is_shown_to_peers(allocation)) viewers = peers_of(*allocation.context);
  if (allocation.on_host() || allocation.kind == MemoryKind::kManaged)
    for (const auto& device : driver().devices) viewers.push_back(device.get());
  if (allocation.pool != nullptr) viewers = viewers_of(*allocation.pool);

  Table& memory = table();
  const std::lock_guard lock(memory.mutex);
  allocation.id = memory.next_id++;
  const bool own = allocation.on_host() || allocation.kind == MemoryKind::kManaged;
  if (own) allocation.device->memory.add(range_of(allocation));
  for (Device* viewer : viewers) add_viewer(allocation, *viewer);
  memory.allocations.insert_or_assign(allocation.address, std::move(allocation));
}

std::optional<Allocation> find_allocation(std::uint64_t address) {
  Table& memory = table();
  const std::lock_guard lock(memory.mutex);
  const Allocation* found = find_in(memory, address);
  return found != nullptr ? std::optional(*found) : std::nullopt;
}

std::optional<Allocation> take_allocation(std::uint64_t address,
                                          const std::function<bool(const Allocation&)>& condition) {
  Table& memory = table();
  const std::lock_guard lock(memory.mutex);
  const auto found = memory.allocations.find(address);
  if (found == memory.allocations.end() || !condition(found->second)) return std::nullopt;
  auto taken = std::move(found->second);
  memory.allocations.erase(found);
  return taken;
}

bool covers(std::uint64_t address, std::uint64_t bytes) {
  Table& memory = table();
  const std::lock_guard lock(memory.mutex);
  while (bytes > 0) {
    const Allocation* found = find_in(memory, address);
    if (found == nullptr) return false;
    const std::uint64_t here = std::min(bytes, found->address + found->bytes - address);
    address += here;
    bytes -= here;
  }
  return true;
}

std::uint64_t free_bytes(const Device& device) {
  const std::uint64_t used = device.memory.allocated() + device.physical_bytes;
  return used < device.memory.limit() ? device.memory.limit() - used : 0;
}

std::uint64_t allocate_on(Device& device, std::uint64_t bytes) {
  const std::uint64_t free = free_bytes(device);
  const std::uint64_t address = bytes <= free ? device.memory.allocate(bytes) : 0;
  if (address == 0)
    say("out of memory: " + std::to_string(bytes) + " bytes are asked for, " +
        std::to_string(free) + " of " + std::to_string(device.memory.limit()) +
        " are left on device " + std::to_string(device.ordinal));
  return address;
}

std::uint64_t map_pages(std::uint64_t bytes) {
  void* address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return address != MAP_FAILED ? reinterpret_cast<std::uint64_t>(address) : 0;
}

void release(const Allocation& allocation) {
  for (Device* viewer : allocation.viewers) viewer->memory.remove(allocation.address);
  switch (allocation.kind) {
    case MemoryKind::kDevice:
      allocation.device->memory.release(allocation.address);
      break;
    case MemoryKind::kPool:
      allocation.device->memory.release(allocation.address);
      give_back(*allocation.pool, allocation.bytes);
      break;
    case MemoryKind::kManaged:
    case MemoryKind::kHost:
      allocation.device->memory.remove(allocation.address);
      unmap_pages(allocation);
      break;
    case MemoryKind::kRegistered:
      allocation.device->memory.remove(allocation.address);
      break;
    case MemoryKind::kMapped:    // cuMemUnmap's business
    case MemoryKind::kVariable:  // the module's
      break;
  }
}

void wait_for_users(const Allocation& allocation) {
  for (Context* context : all_contexts())
    if (&context->device == allocation.device || allocation.viewers.contains(&context->device))
      wait_for_all(*context);
}

void show(Context& owner, Device& viewer) {
  Table& memory = table();
  const std::lock_guard lock(memory.mutex);
  for (auto& [address, allocation] : memory.allocations)
    if (allocation.context == &owner && is_shown_to_peers(allocation))
      add_viewer(allocation, viewer);
}

void hide(Context& owner, Device& viewer) {
  Table& memory = table();
  const std::lock_guard lock(memory.mutex);
  for (auto& [address, allocation] : memory.allocations)
    if (allocation.context == &owner && is_shown_to_peers(allocation) &&
        allocation.viewers.erase(&viewer) > 0)
      viewer.memory.remove(address);
}

void drop_memory(Context& context) {
  std::vector<Allocation> dropped;
  {
    Table& memory = table();
    const std::lock_guard lock(memory.mutex);
    for (auto entry = memory.allocations.begin(); entry != memory.allocations.end();) {
      if (entry->second.context != &context) {
        ++entry;
        continue;
      }
      dropped.push_back(std::move(entry->second));
      entry = memory.allocations.erase(entry);
    }
  }
  for (const Allocation& allocation : dropped) release(allocation);
}

}  // namespace egpu::emu::driver

extern "C" [[gnu::visibility("default")]] std::uint64_t egpuEmulatedMemoryInUse(int ordinal) {
  using namespace egpu::emu::driver;
  if (!driver().initialized) return 0;
  const Device* device = find_device(ordinal);
  return device != nullptr ? device->memory.limit() - free_bytes(*device) : 0;
}
