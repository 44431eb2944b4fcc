// How records of ring buffers leave an observed process: a stream in the snapshot area, behind its
// slots, where there is a ring buffer. The library's control thread writes chunks, each a range of
// one ring (abi/ring_drain.h) as it lay in the device's memory; the service reads them at any time,
// also after the process was killed. Where the service does not read, the stream fills up, then the
// rings do, and their writers drop and count.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "abi/protocol.h"
#include "abi/snapshot.h"

namespace egpu::abi {

inline constexpr std::uint64_t kRingStreamHeaderBytes = 4096;
inline constexpr std::uint64_t kRingStreamBytes = std::uint64_t{64} << 20;  // of chunks
inline constexpr std::uint64_t kLaneBytes = std::uint64_t{2} << 20;         // of each Lane

struct RingStreamHeader {
  std::atomic<std::uint64_t> written;            // bytes of chunks, by the library
  std::atomic<std::uint64_t> read;               // by the service
  std::atomic<std::uint64_t> dropped[kMaxMaps];  // records of each map, by the library
};
static_assert(sizeof(RingStreamHeader) <= kRingStreamHeaderBytes);

// At multiples of its size; its bytes follow. A chunk does not wrap: where it does not fit, the
// rest of the stream's memory is skipped.
struct RingChunk {
  static constexpr std::uint32_t kSkip = ~0U;  // in `map`: a chunk that only fills memory

  std::uint32_t map;
  std::uint32_t shard;
  std::uint32_t bytes;
  std::uint32_t sequence;  // of its first record
};
static_assert(sizeof(RingChunk) == 16);

// Of a chunk with that many bytes, in the stream.
constexpr std::uint64_t chunk_stride(std::uint64_t bytes) {
  return (sizeof(RingChunk) + bytes + sizeof(RingChunk) - 1) / sizeof(RingChunk) *
         sizeof(RingChunk);
}

constexpr bool has_rings(const MapSpec* maps, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (is_ring(maps[i])) return true;
  return false;
}

// The area: snapshots, the stream at ring_stream_offset() where there are rings, and behind it the
// exchange area of requests (abi/map_request.h).
constexpr std::uint64_t ring_stream_offset(const MapSpec* maps, std::size_t count,
                                           std::uint32_t shards) {
  return area_bytes(map_offset(maps, count, shards));
}
constexpr std::uint64_t exchange_offset(const MapSpec* maps, std::size_t count,
                                        std::uint32_t shards) {
  const std::uint64_t stream = kRingStreamHeaderBytes + kRingStreamBytes;
  return ring_stream_offset(maps, count, shards) + (has_rings(maps, count) ? stream : 0);
}
constexpr std::uint64_t whole_area_bytes(const MapSpec* maps, std::size_t count,
                                         std::uint32_t shards) {
  return exchange_offset(maps, count, shards) + kLanes * kLaneBytes;
}

}  // namespace egpu::abi
