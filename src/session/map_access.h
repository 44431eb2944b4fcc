// The maps of one instance (a context on a device of an observed process) while its kernels run:
// single elements are read and written in the device's memory itself.
//
// Every call is bounded by a wait. What did not come in that time goes on by itself; until it is
// done, other calls that need its lane (abi/map_request.h) give ETIMEDOUT.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "abi/map_request.h"
#include "base/bytes.h"
#include "maps/places.h"
#include "maps/snapshot_area.h"
#include "session/map_error.h"
#include "session/request_lane.h"

namespace egpu::session {

// Of one process; its instances share them.
using RequestLanes = std::array<RequestLane, abi::kLanes>;

// Flags of updates, with the numbers of Linux (BPF_ANY, ...).
enum class UpdateFlag : std::uint64_t { kAny = 0, kNoExist = 1, kExist = 2 };

class MapAccess {
 public:
  struct Instance {
    std::uint32_t number = 0;  // OpenInstanceReply::instance
    std::uint32_t shards = 1;
    std::shared_ptr<const maps::SnapshotArea> area;
    std::shared_ptr<RequestLanes> lanes;
  };
  // What the maps start as: object.maps[i].initial.
  using Initial = std::vector<std::vector<std::byte>>;

  static Result<std::shared_ptr<MapAccess>> make(Instance instance, std::vector<abi::MapSpec> maps,
                                                 Initial initial);

  // Thread-safe, as all that follows. `map`: an index in Object::maps. ENODEV: the process or the
  // context is gone.

  // A copy of all maps that was started after the call.
  MapResult<maps::Snapshot> snapshot();

  // An element's value: as many parts of value_size bytes as the map has shards, one where it has
  // none. ENOENT where there is none.
  MapResult<std::vector<std::byte>> lookup(std::size_t map, Bytes key);

  // Of an array: `value` gets into the first shard, zeros into the others, so that the sum is the
  // value. EINVAL, E2BIG, EEXIST as bpf(2).
  MapResult<void> update(std::size_t map, Bytes key, Bytes value, UpdateFlag flag);

  // Of an array: every element is what it was when the program started.
  MapResult<void> clear(std::size_t map);

  void set_wait(std::chrono::milliseconds wait) { wait_ = wait; }

 private:
  class CopyTurn;
  struct Unmap {
    void operator()(std::byte* start) const;
  };
  using Exchange = std::unique_ptr<std::byte, Unmap>;

  MapAccess(Instance instance, std::vector<abi::MapSpec> maps, Initial initial, Exchange exchange);
  [[nodiscard]] std::uint64_t offset_of(std::size_t map) const;
  MapResult<std::vector<std::byte>> lookup_array(std::size_t map, Bytes key);
  MapResult<std::vector<std::byte>> lookup_hash(std::size_t map, Bytes key);
  MapResult<std::optional<std::uint64_t>> find_slot(CopyTurn& turn, std::size_t map, Bytes key);
  MapResult<std::optional<std::vector<std::byte>>> read_slot(CopyTurn& turn, std::size_t map,
                                                             std::uint64_t slot, Bytes key);

  const Instance instance_;
  const std::vector<abi::MapSpec> maps_;
  const Initial initial_;
  const Exchange exchange_;
  std::atomic<std::chrono::milliseconds> wait_{std::chrono::milliseconds(2000)};
};

}  // namespace egpu::session
