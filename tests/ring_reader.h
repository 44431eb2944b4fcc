// Reads rings of a map in this process's memory, as the injected library reads those of a device:
// header, header, bytes, cursors.
#pragma once

#include <atomic>
#include <cstring>
#include <functional>
#include <vector>

#include "abi/ring_drain.h"
#include "base/bytes.h"

namespace egpu::testing {

class RingReader {
 public:
  // Gets each record that was submitted.
  using Sink = std::function<void(Bytes record)>;

  RingReader(std::byte* map, std::uint32_t shards, std::uint64_t ring_bytes)
      : map_(map), shards_(shards), ring_bytes_(ring_bytes) {
    drains_.resize(shards, abi::RingDrain(ring_bytes));
  }

  // Everything that is whole now. Gives the number of records, discarded ones too.
  std::size_t drain(const Sink& sink) {
    std::size_t records = 0;
    for (std::uint32_t shard = 0; shard < shards_; ++shard) records += drain_shard(shard, sink);
    return records;
  }

  [[nodiscard]] std::uint64_t dropped() const {
    std::uint64_t sum = 0;
    for (std::uint32_t shard = 0; shard < shards_; ++shard) sum += header(shard)->dropped;
    return sum;
  }

  // What no ring that the runtime filled can look like: wrong cursors, sizes or sequence numbers.
  [[nodiscard]] std::size_t damages() const { return damages_; }

 private:
  [[nodiscard]] abi::RingHeader* header(std::uint32_t shard) const {
    return reinterpret_cast<abi::RingHeader*>(map_ + std::size_t{shard} * abi::kRingHeaderBytes);
  }

  // Numbers of a header are read whole, one after the other.
  static abi::RingHeader copy(abi::RingHeader& shared) {
    abi::RingHeader header{};
    for (std::uint32_t i = 0; i < abi::kRingSegments; ++i) {
      header.committed[i] = std::atomic_ref(shared.committed[i]).load();
      header.cursor[i] = std::atomic_ref(shared.cursor[i]).load();
    }
    return header;
  }

  std::size_t drain_shard(std::uint32_t shard, const Sink& sink) {
    const abi::RingHeader before = copy(*header(shard));
    const abi::RingHeader after = copy(*header(shard));
    const std::byte* const data = map_ + abi::ring_data_offset(ring_bytes_, shards_, shard);
    std::size_t records = 0;
    const auto advance = drains_[shard].advance(before, after, [&](const abi::RingRange& range) {
      copied_.assign(data + range.offset, data + range.offset + range.bytes);
      records += walk(range, sink);
      return true;
    });
    if (advance.damaged) ++damages_;
    for (std::uint32_t i = 0; i < advance.opening_count; ++i) {
      const abi::RingOpening& opening = advance.openings[i];
      open(header(shard)->cursor[opening.segment], opening.cursor);
    }
    return records;
  }

  // In two halves, as the library does.
  static void open(std::uint64_t& cursor, std::uint64_t value) {
    auto* const halves = reinterpret_cast<std::uint32_t*>(&cursor);
    std::atomic_ref(halves[1]).store(static_cast<std::uint32_t>(value >> 32));
    std::atomic_ref(halves[0]).store(static_cast<std::uint32_t>(value));
  }

  std::size_t walk(const abi::RingRange& range, const Sink& sink) {
    std::size_t records = 0;
    std::uint32_t sequence = range.sequence;
    std::size_t at = 0;
    while (at < copied_.size()) {
      abi::RingRecord record{};
      std::memcpy(&record, copied_.data() + at, sizeof record);
      const std::uint32_t size = record.size & abi::kRingSizeMask;
      const std::size_t bytes = (sizeof record + size + 7) / 8 * 8;
      if (record.sequence != sequence || bytes > copied_.size() - at) {
        ++damages_;
        break;
      }
      if ((record.size & abi::kRingPadding) == 0) {
        ++records;
        if ((record.size & abi::kRingDiscarded) == 0)
          sink(Bytes(copied_).subspan(at + sizeof record, size));
      }
      at += bytes;
      sequence += static_cast<std::uint32_t>(bytes / abi::kRingUnit);
    }
    return records;
  }

  std::byte* map_;
  std::uint32_t shards_;
  std::uint64_t ring_bytes_;
  std::vector<abi::RingDrain> drains_;
  std::vector<std::byte> copied_;
  std::size_t damages_ = 0;
};

}  // namespace egpu::testing
