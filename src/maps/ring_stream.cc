#include "maps/ring_stream.h"

#include <sys/mman.h>

#include <cstring>
#include <utility>

#include "base/system_error.h"

namespace egpu::maps {
namespace {

constexpr std::uint64_t kMappedBytes = abi::kRingStreamHeaderBytes + abi::kRingStreamBytes;

Error damaged() { return input_error("the process left records that egpu cannot have written"); }

}  // namespace

void RingStream::Unmap::operator()(std::byte* start) const { ::munmap(start, kMappedBytes); }

RingStream::RingStream(std::unique_ptr<std::byte, Unmap> memory, std::vector<abi::MapSpec> maps,
                       std::uint32_t shards)
    : memory_(std::move(memory)), maps_(std::move(maps)), shards_(shards), totals_(maps_.size()) {}

Result<std::unique_ptr<RingStream>> RingStream::map(int fd, std::vector<abi::MapSpec> maps,
                                                    std::uint32_t shards) {
  const std::uint64_t offset = abi::ring_stream_offset(maps.data(), maps.size(), shards);
  void* const start = ::mmap(nullptr, kMappedBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                             static_cast<off_t>(offset));
  if (start == MAP_FAILED) return system_error("cannot map a stream of records");
  std::unique_ptr<std::byte, Unmap> memory(static_cast<std::byte*>(start));
  return std::unique_ptr<RingStream>(new RingStream(std::move(memory), std::move(maps), shards));
}

abi::RingStreamHeader& RingStream::header() const {
  return *reinterpret_cast<abi::RingStreamHeader*>(memory_.get());
}

const std::byte* RingStream::at(std::uint64_t position) const {
  return memory_.get() + abi::kRingStreamHeaderBytes + position % abi::kRingStreamBytes;
}

Result<std::size_t> RingStream::drain(const Sink& sink) {
  const std::lock_guard lock(mutex_);
  std::size_t chunks = 0;
  while (!ended_) {
    const std::uint64_t available = header().written.load(std::memory_order_acquire) - read_;
    if (available == 0) break;
    if (auto read = read_chunk(available, sink); !read) {
      ended_ = true;
      return std::move(read).error();
    }
    header().read.store(read_, std::memory_order_release);
    ++chunks;
  }
  for (std::size_t i = 0; i < maps_.size(); ++i)
    totals_[i].dropped = header().dropped[i].load(std::memory_order_relaxed);
  return chunks;
}

std::vector<RingTotals> RingStream::totals() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

// The process may change what it wrote at any time: the chunk is copied before it is looked at.
Result<void> RingStream::read_chunk(std::uint64_t available, const Sink& sink) {
  abi::RingChunk chunk{};
  std::memcpy(&chunk, at(read_), sizeof chunk);
  const std::uint64_t stride = abi::chunk_stride(chunk.bytes);
  const std::uint64_t left = abi::kRingStreamBytes - read_ % abi::kRingStreamBytes;
  if (available > abi::kRingStreamBytes || stride > available || stride > left) return damaged();
  if (chunk.map != abi::RingChunk::kSkip) {
    const bool known = chunk.map < maps_.size() && abi::is_ring(maps_[chunk.map]) &&
                       chunk.shard < shards_ && chunk.bytes <= maps_[chunk.map].max_entries;
    if (!known) return damaged();
    copied_.assign(at(read_) + sizeof chunk, at(read_) + sizeof chunk + chunk.bytes);
    EGPU_TRY(read_records(chunk, sink));
  }
  read_ += stride;
  return {};
}

Result<void> RingStream::read_records(const abi::RingChunk& chunk, const Sink& sink) {
  RingTotals& totals = totals_[chunk.map];
  std::uint32_t sequence = chunk.sequence;
  for (std::size_t position = 0; position < copied_.size();) {
    abi::RingRecord record{};
    const std::size_t left = copied_.size() - position;
    if (left < sizeof record) return damaged();
    std::memcpy(&record, copied_.data() + position, sizeof record);
    const std::uint32_t size = record.size & abi::kRingSizeMask;
    const std::size_t stride =
        (sizeof record + size + abi::kRingUnit - 1) / abi::kRingUnit * abi::kRingUnit;
    if (record.sequence != sequence || stride > left) return damaged();
    if ((record.size & abi::kRingDiscarded) != 0) {
      ++totals.discarded;
    } else if ((record.size & abi::kRingPadding) == 0) {
      ++totals.records;
      sink({.map = chunk.map,
            .shard = chunk.shard,
            .bytes_untrusted = Bytes(copied_).subspan(position + sizeof record, size)});
    }
    position += stride;
    sequence += static_cast<std::uint32_t>(stride / abi::kRingUnit);
  }
  return {};
}

}  // namespace egpu::maps
