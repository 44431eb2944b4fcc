// Rounds of a drain follow each other on the instance's own stream. Within one: headers are copied
// twice, then the ranges that are whole, straight to their place in the stream of chunks; when they
// have arrived they are published and their segments opened for the next lap. The kernels that fill
// the rings run on meanwhile; neither waits for the other.
//
// All memory of the host in this is pinned: a copy to other memory makes the calling thread wait,
// passes through memory of the driver, and holds up calls of the application meanwhile.
#include "inject/drain_rings.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <ctime>

#include "inject/deadline.h"
#include "inject/report.h"
#include "inject/scopes.h"
#include "inject/session.h"
#include "inject/stream_wait.h"

namespace egpu::inject {
namespace {

constexpr int kDrainWaitMs = 2000;
constexpr int kLastDrainMs = 5000;

char* stream_start(const Instance& instance) {
  const abi::HelloReply& settings = session.settings;
  return static_cast<char*>(instance.area.data()) +
         abi::ring_stream_offset(settings.maps, settings.map_count, instance.shards);
}

abi::RingStreamHeader& stream_header(const Instance& instance) {
  return *reinterpret_cast<abi::RingStreamHeader*>(stream_start(instance));
}

abi::RingChunk& chunk_at(const Instance& instance, std::uint64_t position) {
  char* const chunks = stream_start(instance) + abi::kRingStreamHeaderBytes;
  return *reinterpret_cast<abi::RingChunk*>(chunks + position % abi::kRingStreamBytes);
}

// A place in the stream for a range, null: the service has not read enough yet.
void* place_chunk(const Instance& instance, const RingReading::Ring& ring,
                  const abi::RingRange& range) {
  RingReading& reading = *instance.rings;
  const std::uint64_t stride = abi::chunk_stride(range.bytes);
  const std::uint64_t left = abi::kRingStreamBytes - reading.written % abi::kRingStreamBytes;
  const std::uint64_t skipped = stride > left ? left : 0;
  const std::uint64_t read = stream_header(instance).read.load(std::memory_order_acquire);
  reading.blocked = reading.written + skipped + stride - read > abi::kRingStreamBytes;
  if (reading.blocked) return nullptr;
  if (skipped != 0) {
    chunk_at(instance, reading.written) = {
        .map = abi::RingChunk::kSkip,
        .shard = 0,
        .bytes = static_cast<std::uint32_t>(skipped - sizeof(abi::RingChunk)),
        .sequence = 0};
    reading.written += skipped;
  }
  abi::RingChunk& chunk = chunk_at(instance, reading.written);
  chunk = {.map = ring.map,
           .shard = ring.shard,
           .bytes = static_cast<std::uint32_t>(range.bytes),
           .sequence = range.sequence};
  reading.written += stride;
  return &chunk + 1;
}

// Headers of one map's rings lie one after the other.
cuda::Status copy_headers(const Instance& instance, abi::RingHeader* copies) {
  const RingReading& reading = *instance.rings;
  cuda::Status status = cuda::kSuccess;
  for (std::uint32_t i = 0; i < reading.count && status == cuda::kSuccess; i += instance.shards)
    status =
        session.driver.copy_to_host(copies + i, reading.rings[i].header,
                                    instance.shards * sizeof(abi::RingHeader), instance.stream);
  return status;
}

cuda::Status copy_ranges_of(const Instance& instance, std::uint32_t index) {
  RingReading& reading = *instance.rings;
  RingReading::Ring& ring = reading.rings[index];
  cuda::Status status = cuda::kSuccess;
  const auto take = [&](const abi::RingRange& range) {
    void* const place = place_chunk(instance, ring, range);
    if (place == nullptr) return false;
    status =
        session.driver.copy_to_host(place, ring.data + range.offset, range.bytes, instance.stream);
    return status == cuda::kSuccess;
  };
  const auto advance = ring.drain.advance(reading.before[index], reading.after[index], take);
  for (std::uint32_t k = 0; k < advance.opening_count; ++k) {
    const abi::RingOpening& opening = advance.openings[k];
    reading.openings[reading.opening_count++] = {
        .cursor =
            ring.header + offsetof(abi::RingHeader, cursor) + std::uint64_t{opening.segment} * 8,
        .value = opening.cursor};
  }
  if (advance.damaged && !reading.damaged) {
    reading.damaged = true;
    report("device %d: a ring buffer is damaged: its records are not read any more",
           instance.device);
  }
  return status;
}

// All rings in turn: where the stream has no room for a ring, the next round begins with it.
cuda::Status copy_ranges(const Instance& instance) {
  RingReading& reading = *instance.rings;
  cuda::Status status = cuda::kSuccess;
  reading.blocked = false;
  const std::uint32_t first = reading.next;
  for (std::uint32_t i = 0; i < reading.count && status == cuda::kSuccess && !reading.blocked;
       ++i) {
    reading.next = (first + i) % reading.count;
    status = copy_ranges_of(instance, reading.next);
  }
  reading.copying = true;
  return status;
}

void describe(const RingReading& reading, DrainState& state) {
  const abi::MapSpec* const maps = session.settings.maps;
  for (std::uint32_t i = 0; i < reading.count; ++i) {
    const RingReading::Ring& ring = reading.rings[i];
    const std::uint64_t waiting =
        std::uint64_t{ring.drain.waiting_units(reading.after[i])} * abi::kRingUnit;
    state.fullest = std::max(
        state.fullest, static_cast<std::uint32_t>(100 * waiting / maps[ring.map].max_entries));
  }
}

void publish_drops(const Instance& instance) {
  const RingReading& reading = *instance.rings;
  std::uint64_t dropped[abi::kMaxMaps] = {};
  for (std::uint32_t i = 0; i < reading.count; ++i)
    dropped[reading.rings[i].map] += reading.after[i].dropped;
  for (std::uint32_t i = 0; i < reading.count; i += instance.shards) {
    const std::uint32_t map = reading.rings[i].map;
    stream_header(instance).dropped[map].store(dropped[map], std::memory_order_relaxed);
  }
}

// Everything that was copied has arrived: the service may have it, the device may write there.
cuda::Status publish(const Instance& instance) {
  RingReading& reading = *instance.rings;
  publish_drops(instance);
  stream_header(instance).written.store(reading.written, std::memory_order_release);
  cuda::Status status = cuda::kSuccess;
  for (std::uint32_t i = 0; i < reading.opening_count && status == cuda::kSuccess; ++i) {
    const RingReading::Opening& opening = reading.openings[i];
    const char* const value = reinterpret_cast<const char*>(&opening.value);
    // The high half first (abi/ring_drain.h).
    status = session.driver.copy_to_device(opening.cursor + 4, value + 4, 4, instance.stream);
    if (status == cuda::kSuccess)
      status = session.driver.copy_to_device(opening.cursor, value, 4, instance.stream);
  }
  reading.copying = false;
  reading.opening_count = 0;
  return status;
}

template <class T>
bool allocate(T*& list, std::size_t count) {
  list = static_cast<T*>(std::calloc(count, sizeof(T)));
  return list != nullptr;
}

// Where memory is short nothing of it is used; it is not given back.
bool allocate_reading(RingReading*& reading, std::uint32_t count) {
  if (!allocate(reading, 1) || !allocate(reading->rings, count)) return false;
  reading->count = count;
  const std::size_t bytes =
      count * (2 * sizeof(abi::RingHeader) + abi::kRingSegments * sizeof(RingReading::Opening));
  // Shared: a child after fork() gets no copy of it, to which the device would go on to write.
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  reading->shared = Mapping(memory, bytes);
  reading->before = static_cast<abi::RingHeader*>(memory);
  reading->after = reading->before + count;
  reading->openings = reinterpret_cast<RingReading::Opening*>(reading->after + count);
  return true;
}

void pin(const Instance& instance) {
  RingReading& reading = *instance.rings;
  const cuda::DriverTable& driver = session.driver;
  char* const stream = stream_start(instance);
  cuda::Status status =
      driver.mem_host_register(stream, abi::kRingStreamHeaderBytes + abi::kRingStreamBytes, 0);
  if (status == cuda::kSuccess) {
    status = driver.mem_host_register(reading.shared.data(), reading.shared.size(), 0);
    if (status != cuda::kSuccess) driver.mem_host_unregister(stream);
  }
  reading.pinned = status == cuda::kSuccess;
  if (reading.pinned) return;
  report(
      "device %d: memory for records cannot be pinned (driver error %d): they are read more slowly",
      instance.device, status);
}

}  // namespace

bool prepare_rings(Instance& instance) {
  const abi::HelloReply& settings = session.settings;
  if (!abi::has_rings(settings.maps, settings.map_count)) return true;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < settings.map_count; ++i)
    if (abi::is_ring(settings.maps[i])) count += instance.shards;
  if (!allocate_reading(instance.rings, count)) return false;
  RingReading::Ring* next = instance.rings->rings;
  for (std::uint32_t i = 0; i < settings.map_count; ++i) {
    if (!abi::is_ring(settings.maps[i])) continue;
    const std::uint64_t bytes = settings.maps[i].max_entries;
    const cuda::DevicePointer map =
        instance.memory + abi::device_offset(settings.maps, settings.map_count, i, instance.shards);
    for (std::uint32_t shard = 0; shard < instance.shards; ++shard, ++next)
      // NOLINTNEXTLINE(clang-analyzer-security.ArrayBound): as many as were counted above
      *next = {.map = i,
               .shard = shard,
               .header = map + std::uint64_t{shard} * abi::kRingHeaderBytes,
               .data = map + abi::ring_data_offset(bytes, instance.shards, shard),
               .drain = abi::RingDrain(bytes)};
  }
  pin(instance);
  return true;
}

void release_rings(Instance& instance) {
  if (instance.rings == nullptr || !instance.rings->pinned) return;
  const RelaxedCapture relaxed;
  const CurrentContext current(instance.context);
  instance.rings->pinned = false;
  session.driver.mem_host_unregister(stream_start(instance));
  session.driver.mem_host_unregister(instance.rings->shared.data());
}

cuda::Status drain_rings(Instance& instance, DrainState& state) {
  RingReading& reading = *instance.rings;
  // What was late last time.
  cuda::Status status = wait_for_stream(instance.stream, kDrainWaitMs);
  if (status == cuda::kSuccess && reading.copying) status = publish(instance);
  if (status == cuda::kSuccess) status = copy_headers(instance, reading.before);
  if (status == cuda::kSuccess) status = copy_headers(instance, reading.after);
  if (status == cuda::kSuccess) status = wait_for_stream(instance.stream, kDrainWaitMs);
  if (status == cuda::kSuccess) {
    describe(reading, state);
    status = copy_ranges(instance);
    state.blocked = state.blocked || reading.blocked;
  }
  if (status == cuda::kSuccess) status = wait_for_stream(instance.stream, kDrainWaitMs);
  return status == cuda::kSuccess ? publish(instance) : status;
}

cuda::Status drain_rings_to_end(Instance& instance) {
  const Deadline deadline(kLastDrainMs);
  while (true) {
    DrainState state;
    const std::uint64_t written = instance.rings->written;
    const cuda::Status status = drain_rings(instance, state);
    const bool found = instance.rings->written != written;
    if (status != cuda::kSuccess || !(found || state.blocked)) return status;
    if (deadline.left_ms() == 0) break;
    const timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
    if (state.blocked) ::nanosleep(&pause, nullptr);
  }
  report(
      "device %d: the records that were left in ring buffers are missing: they were read too "
      "slowly",
      instance.device);
  return cuda::kSuccess;
}

}  // namespace egpu::inject
