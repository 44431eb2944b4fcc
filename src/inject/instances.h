// One instance of the maps for each context that launches twins: a device allocation, a stream of
// its own, and the snapshot area through which its contents leave the process (abi/snapshot.h).
#pragma once

#include <cstdint>

#include "abi/snapshot.h"
#include "cuda/driver_types.h"
#include "inject/modules.h"
#include "inject/shared_memory.h"
#include "inject/sync.h"

namespace egpu::inject {

struct DrainState;
struct RingReading;

struct Instance {
  cuda::Context context;
  cuda::Device device;
  std::uint32_t id;  // what the service calls it
  bool primary;      // `context` is the device's primary context
  bool usable;       // false: could not be set up, or its context was lost; originals run
  std::uint32_t shards;
  std::uint64_t bytes;       // of the device allocation
  std::uint64_t slot_bytes;  // of its start, which snapshots copy
  cuda::DevicePointer memory;
  cuda::Stream stream;
  Mapping area;
  RingReading* rings;  // null: no ring buffers
  Instance* next_retired;
  [[nodiscard]] abi::SnapshotHeader& header() const {
    return *static_cast<abi::SnapshotHeader*>(area.data());
  }
};

class Instances {
 public:
  // Sets up what `module` needs to run twins in `context` and remembers it in its bindings. Null:
  // originals must run there. The slow path of the first launch.
  Instance* bind(LoadedModule& module, cuda::Context context);

  // A snapshot of each live instance. False: the driver is shut down.
  bool snapshot_all(bool final);

  // One round of draining the rings of each live instance (drain_rings.h). False: the driver is
  // shut down.
  bool drain_all(DrainState& state);

  // Does `work` with the instance that the service calls `id`, its context current.
  // kInvalidContext: there is none that could be used. Defined in in_instance.h.
  template <class Work>
  cuda::Status in_instance(std::uint32_t id, Work work);

  // Before the context goes: a final snapshot, and its handles are forgotten. Give the result to
  // Modules::release() afterwards.
  LoadedModule* close(cuda::Context context);

  // The context is gone; its last snapshot was the final one. Otherwise like close().
  LoadedModule* forget(cuda::Context context);

  // A snapshot of the primary context's instance that may be the last. Gives the context, null if
  // it has no instance.
  cuda::Context snapshot_primary(cuda::Device device);

 private:
  Instance* find(cuda::Context context);
  Instance* find(std::uint32_t id);
  Instance* open(cuda::Context context);
  LoadedModule* remove(cuda::Context context);

  Mutex mutex_;
  Instance* list_[kMaxContexts] = {};
  Instance* retired_ = nullptr;  // of contexts that are gone
};

}  // namespace egpu::inject
