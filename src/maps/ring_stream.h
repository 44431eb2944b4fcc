// The service's side of a stream of records (abi/ring_stream.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "abi/protocol.h"
#include "abi/ring_stream.h"
#include "base/bytes.h"
#include "base/result.h"

namespace egpu::maps {

// Of one map, over all shards of an instance.
struct RingTotals {
  std::uint64_t records = 0;    // read, without those that the program discarded
  std::uint64_t discarded = 0;  // read and thrown away
  std::uint64_t dropped = 0;    // found no room in their ring
};

struct RingRecordView {
  std::uint32_t map = 0;    // index of the map
  std::uint32_t shard = 0;  // the SM's
  Bytes bytes_untrusted;    // at a multiple of 8, until the sink returns
};

class RingStream {
 public:
  using Sink = std::function<void(const RingRecordView& record)>;

  // `fd`: the snapshot area of an instance with these maps.
  static Result<std::unique_ptr<RingStream>> map(int fd, std::vector<abi::MapSpec> maps,
                                                 std::uint32_t shards);

  // Everything that was published; gives how many chunks that was. What the process must not have
  // written ends the stream with an error, once. Thread-safe: one drains at a time.
  Result<std::size_t> drain(const Sink& sink);

  // By index of the map; of others than ring buffers all zeros. Thread-safe.
  [[nodiscard]] std::vector<RingTotals> totals() const;

 private:
  struct Unmap {
    void operator()(std::byte* start) const;
  };

  RingStream(std::unique_ptr<std::byte, Unmap> memory, std::vector<abi::MapSpec> maps,
             std::uint32_t shards);
  [[nodiscard]] abi::RingStreamHeader& header() const;
  [[nodiscard]] const std::byte* at(std::uint64_t position) const;
  Result<void> read_chunk(std::uint64_t available, const Sink& sink);
  Result<void> read_records(const abi::RingChunk& chunk, const Sink& sink);

  std::unique_ptr<std::byte, Unmap> memory_;
  std::vector<abi::MapSpec> maps_;
  std::uint32_t shards_;
  mutable std::mutex mutex_;  // guards what follows
  std::uint64_t read_ = 0;
  bool ended_ = false;
  std::vector<std::byte> copied_;
  std::vector<RingTotals> totals_;
};

}  // namespace egpu::maps
