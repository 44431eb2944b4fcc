// All memory that the application got from the driver or told it of.
//
// Its addresses are this process's own, whatever its kind. Kernels of a device may use what lies in
// the device's emu::Memory: its own memory, that of peers where access is enabled, and host memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "emu/driver/state.h"

namespace egpu::emu::driver {

class Context;
struct Pool;

enum class MemoryKind : std::uint8_t {
  kDevice,      // cuMemAlloc
  kManaged,     // cuMemAllocManaged
  kHost,        // cuMemHostAlloc
  kRegistered,  // cuMemHostRegister
  kPool,        // cuMemAllocAsync
  kMapped,      // cuMemMap
  kVariable,    // of a module
};

struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;
  Context* context = nullptr;  // null: kMapped and kPool belong to a device alone
  Device* device = nullptr;
  unsigned flags = 0;  // as given to the call that made it
  std::uint64_t id = 0;
  std::shared_ptr<Pool> pool = nullptr;
  std::set<Device*> viewers = {};  // other devices whose kernels may use it

  bool on_host() const { return kind == MemoryKind::kHost || kind == MemoryKind::kRegistered; }
};

// Thread-safe, as all of these are.
void add_allocation(Allocation allocation);
// The allocation that holds the address.
std::optional<Allocation> find_allocation(std::uint64_t address);
// Takes the allocation that begins there, if `condition` holds for it.
std::optional<Allocation> take_allocation(std::uint64_t address,
                                          const std::function<bool(const Allocation&)>& condition);
// Whether all the bytes are known memory, in one allocation or several side by side.
bool covers(std::uint64_t address, std::uint64_t bytes);

// Device memory for a context or pool; 0: there is not enough left.
std::uint64_t allocate_on(Device& device, std::uint64_t bytes);
std::uint64_t free_bytes(const Device& device);
// Pages that hold zeros; 0: the system has none.
std::uint64_t map_pages(std::uint64_t bytes);

// Gives the memory back; nothing may use it any more.
void release(const Allocation& allocation);
// Waits for what may use it.
void wait_for_users(const Allocation& allocation);

// Lets kernels of the device use what is, and until hide() what comes to be, in the context's
// memory.
void show(Context& owner, Device& viewer);
void hide(Context& owner, Device& viewer);

// Frees what belongs to the context.
void drop_memory(Context& context);

}  // namespace egpu::emu::driver
