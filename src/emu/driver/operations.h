// What streams and graph nodes do.
#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "cuda/driver_structs.h"
#include "emu/driver/memory.h"
#include "emu/driver/state.h"
#include "emu/launch.h"

namespace egpu::emu::driver {

class Context;
struct Event;
struct Function;
struct Graph;

struct Nothing {};

struct KernelLaunch {
  std::shared_ptr<Function> function;
  emu::LaunchConfig config;  // but for its parameters, which are these
  std::vector<std::byte> parameters;
  int priority = 0;
};

struct Copy {
  cuda::Copy3d what{};
  // Holds what was at the source when the copy was asked for, where it may change before it is
  // made.
  std::shared_ptr<const std::vector<std::byte>> staged = nullptr;
};

struct Fill {
  cuda::MemsetNodeParameters what{};
};

struct HostCall {
  cuda::HostFunction function = nullptr;
  void* data = nullptr;
};

// Is called with the context's error too; never in graphs.
struct CallbackCall {
  cuda::StreamCallback callback = nullptr;
  cuda::Stream stream = nullptr;
  void* data = nullptr;
};

// Gives memory of a pool back; never in graphs.
struct FreeMemory {
  Allocation allocation;
};

// In graphs alone, which carry them out when they are launched.
struct EventRecord {
  std::shared_ptr<Event> event;
};
struct EventWait {
  std::shared_ptr<Event> event;
};
struct ChildGraph {
  std::shared_ptr<Graph> graph;
};

using Operation = std::variant<Nothing, KernelLaunch, Copy, Fill, HostCall, CallbackCall,
                               FreeMemory, EventRecord, EventWait, ChildGraph>;

// In a worker thread. In a context that failed, callbacks alone are still made.
void perform(const Operation& operation, Context& context);

// `bytes` bytes from one address to another.
cuda::Copy3d linear_copy(DevicePointer to, DevicePointer from, std::size_t bytes);
// The first and one past the last byte that the copy touches at an end of it.
struct Extent {
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;
};
Extent extent_of(const cuda::CopyEnd3d& end, const cuda::Copy3d& copy);
Extent extent_of(const cuda::MemsetNodeParameters& fill);
std::uint64_t base_of(const cuda::CopyEnd3d& end);

}  // namespace egpu::emu::driver
