// The service's side of a snapshot area (abi/snapshot.h): makes it, hands its descriptor to the
// observed process and reads what that process published, at any time, also after it was killed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "abi/protocol.h"
#include "abi/snapshot.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"

namespace egpu::maps {

// The last published copy of all maps of one instance. Everything in it was written by the observed
// process and may hold anything; only the size of `slot` is certain.
struct Snapshot {
  std::uint64_t published = 0;  // number of snapshots so far; 0: none yet, `slot` is all zeros
  std::uint64_t time_ns = 0;    // CLOCK_MONOTONIC when this copy was started; 0 where none was made
  bool final = false;           // taken after the program's last launch: nothing is missing
  std::uint64_t instrumented_launches = 0;
  std::uint64_t fallback_launches = 0;
  std::vector<std::byte> slot;  // slot_bytes() long

  [[nodiscard]] Snapshot without_slot() const {
    return {.published = published,
            .time_ns = time_ns,
            .final = final,
            .instrumented_launches = instrumented_launches,
            .fallback_launches = fallback_launches,
            .slot = {}};
  }
};

// Whether a Snapshot shall have its slot, which may be large.
enum class Slots { kCopied, kLeftOut };

class SnapshotArea {
 public:
  // More than this for one copy of all maps is refused: an area holds two copies in memory.
  static constexpr std::uint64_t kMaxSlotBytes = 1ull << 30;

  // `shards`: SMs of the device, 1 to abi::kMaxShards. Fails where the maps are too large or memory
  // is short.
  static Result<SnapshotArea> create(std::span<const abi::MapSpec> maps, std::uint32_t shards);

  // Writes the start of a map's memory to slot 0. The observed process takes it from there, before
  // it publishes anything (MapSpec::initial). `offset`: abi::map_offset().
  Result<void> set_initial(std::uint64_t offset, Bytes content);

  // For SCM_RIGHTS; of fixed size, readable and writable. Stays owned by the area.
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] std::uint64_t slot_bytes() const { return slot_bytes_; }
  // With the stream of records behind the slots (maps/ring_stream.h), where there are rings.
  [[nodiscard]] std::uint64_t area_bytes() const { return mapping_.get_deleter().bytes; }

  // A whole copy of the last published slot. Fails only where the process publishes faster than a
  // slot can be copied, a bounded number of attempts long. Thread-safe.
  [[nodiscard]] Result<Snapshot> read(Slots slots = Slots::kCopied) const;

 private:
  struct Unmap {
    std::uint64_t bytes = 0;
    void operator()(const std::byte* start) const;
  };
  using Mapping = std::unique_ptr<const std::byte, Unmap>;

  SnapshotArea(UniqueFd fd, Mapping mapping, std::uint64_t slot_bytes)
      : fd_(std::move(fd)), mapping_(std::move(mapping)), slot_bytes_(slot_bytes) {}
  [[nodiscard]] const abi::SnapshotHeader& header() const;
  [[nodiscard]] const std::byte* slot_start(std::uint64_t slot) const;

  UniqueFd fd_;
  Mapping mapping_;
  std::uint64_t slot_bytes_;
};

}  // namespace egpu::maps
