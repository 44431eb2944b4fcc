// The memory through which map contents leave an observed process: one area (memfd) per instance,
// that is per context with probes. The library's control thread copies the device allocation into
// one of two slots, then publishes it; the service reads the last published slot at any time, also
// after the process was killed.
//
// Area: SnapshotHeader (one page), slot 0, slot 1. A slot is a byte-for-byte copy of the start of
// the device allocation: maps in order, each at map_offset(). Ring buffers lie behind them and
// leave the process in another way (abi/ring.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "abi/map_layout.h"
#include "abi/protocol.h"
#include "abi/ring.h"

namespace egpu::abi {

inline constexpr std::size_t kSnapshotHeaderBytes = 4096;

struct SnapshotHeader {
  // Number of published snapshots; the last one is in slot (published - 1) % 2. A reader copies the
  // slot and reads `published` again: unchanged means whole (the writer fills the other slot
  // first).
  std::atomic<std::uint64_t> published;
  std::atomic<std::uint64_t> time_ns[2];  // CLOCK_MONOTONIC when each slot's copy was started
  // 1: the last snapshot was taken after the program's last launch.
  std::atomic<std::uint64_t> final;
  std::atomic<std::uint64_t> instrumented_launches;  // launches switched to a twin
  std::atomic<std::uint64_t> fallback_launches;      // launches whose twin failed; the original ran
};
static_assert(sizeof(SnapshotHeader) <= kSnapshotHeaderBytes);

// Of the map's memory on a device with that many SMs; a multiple of 128. 0: no such kind.
constexpr std::uint64_t map_bytes(const MapSpec& map, std::uint32_t shards) {
  switch (map.kind) {
    case MapKind::kNone:
      return 0;
    case MapKind::kHash:
    case MapKind::kLruHash:
      return hash_bytes(map.key_size, map.value_size, map.max_entries, 1);
    case MapKind::kPercpuHash:
      return hash_bytes(map.key_size, map.value_size, map.max_entries, shards);
    case MapKind::kArray:
      return array_bytes(map.value_size, map.max_entries);
    case MapKind::kPercpuArray:
      return array_bytes(map.value_size, map.max_entries) * shards;
    case MapKind::kSums:
      return array_bytes(map.value_size, map.max_entries) * shards * kSumShards;
    case MapKind::kQueue:
    case MapKind::kStack:
      return queue_bytes(map.value_size, map.max_entries);
    case MapKind::kPerfEventArray:
    case MapKind::kRingbuf:
      return ring_map_bytes(map.max_entries, shards);
  }
  return 0;
}

constexpr bool is_ring(const MapSpec& map) {
  return map.kind == MapKind::kRingbuf || map.kind == MapKind::kPerfEventArray;
}

// Offset of maps[index], which is no ring buffer, in a slot and in the device allocation; index ==
// count gives the bytes of a slot.
constexpr std::uint64_t map_offset(const MapSpec* maps, std::size_t index, std::uint32_t shards) {
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < index; ++i)
    if (!is_ring(maps[i])) offset += map_bytes(maps[i], shards);
  return offset;
}

// Offset of maps[index] in the device allocation; index == count gives its bytes.
constexpr std::uint64_t device_offset(const MapSpec* maps, std::size_t count, std::size_t index,
                                      std::uint32_t shards) {
  if (index < count && !is_ring(maps[index])) return map_offset(maps, index, shards);
  std::uint64_t offset = map_offset(maps, count, shards);
  for (std::size_t i = 0; i < index; ++i)
    if (is_ring(maps[i])) offset += map_bytes(maps[i], shards);
  return offset;
}

constexpr std::uint64_t area_bytes(std::uint64_t slot_bytes) {
  return kSnapshotHeaderBytes + 2 * ((slot_bytes + 4095) / 4096 * 4096);
}

}  // namespace egpu::abi
