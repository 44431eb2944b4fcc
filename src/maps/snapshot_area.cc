#include "maps/snapshot_area.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "abi/ring_stream.h"
#include "base/system_error.h"

namespace egpu::maps {
namespace {

constexpr int kReadAttempts = 100;

Result<UniqueFd> make_area_file(std::uint64_t bytes) {
  UniqueFd fd(::memfd_create("egpu-maps", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return system_error("cannot make a snapshot area");
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0)
    return system_error("cannot size a snapshot area");
  // The observed process writes here: it must not be able to pull the pages from under the reader.
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return system_error("cannot seal a snapshot area");
  return fd;
}

}  // namespace

void SnapshotArea::Unmap::operator()(const std::byte* start) const {
  ::munmap(const_cast<std::byte*>(start), bytes);
}

Result<SnapshotArea> SnapshotArea::create(std::span<const abi::MapSpec> maps,
                                          std::uint32_t shards) {
  const std::uint64_t slot_bytes = abi::map_offset(maps.data(), maps.size(), shards);
  if (slot_bytes > kMaxSlotBytes)
    return input_error("the maps need " + std::to_string(slot_bytes) + " bytes on a GPU with " +
                       std::to_string(shards) + " SMs, more than " + std::to_string(kMaxSlotBytes))
        .hint("reduce max_entries or the size of the values");

  const std::uint64_t bytes = abi::whole_area_bytes(maps.data(), maps.size(), shards);
  EGPU_ASSIGN(UniqueFd fd, make_area_file(bytes));
  void* start = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (start == MAP_FAILED) return system_error("cannot map a snapshot area");
  Mapping mapping(static_cast<const std::byte*>(start), Unmap{bytes});
  return SnapshotArea(std::move(fd), std::move(mapping), slot_bytes);
}

Result<void> SnapshotArea::set_initial(std::uint64_t offset, Bytes content) {
  if (offset > slot_bytes_ || content.size() > slot_bytes_ - offset)
    return internal_error("initial values that do not fit into their map");
  const ssize_t written = ::pwrite(fd_.get(), content.data(), content.size(),
                                   static_cast<off_t>(abi::kSnapshotHeaderBytes + offset));
  if (written != static_cast<ssize_t>(content.size()))
    return system_error("cannot write to a snapshot area");
  return {};
}

const abi::SnapshotHeader& SnapshotArea::header() const {
  return *reinterpret_cast<const abi::SnapshotHeader*>(mapping_.get());
}

const std::byte* SnapshotArea::slot_start(std::uint64_t slot) const {
  const std::uint64_t slot_span = (abi::area_bytes(slot_bytes_) - abi::kSnapshotHeaderBytes) / 2;
  return mapping_.get() + abi::kSnapshotHeaderBytes + slot * slot_span;
}

Result<Snapshot> SnapshotArea::read(Slots slots) const {
  const abi::SnapshotHeader& shared = header();
  Snapshot snapshot;
  if (slots == Slots::kCopied) snapshot.slot.resize(slot_bytes_);
  for (int attempt = 0; attempt < kReadAttempts; ++attempt) {
    snapshot.published = shared.published.load(std::memory_order_acquire);
    snapshot.final = shared.final.load(std::memory_order_acquire) != 0;
    if (snapshot.published != 0) {
      const std::uint64_t slot = (snapshot.published - 1) % 2;
      snapshot.time_ns = shared.time_ns[slot].load(std::memory_order_relaxed);
      std::memcpy(snapshot.slot.data(), slot_start(slot), snapshot.slot.size());
    }
    // The counters may run ahead of the copy: they are the process's totals.
    snapshot.instrumented_launches = shared.instrumented_launches.load(std::memory_order_relaxed);
    snapshot.fallback_launches = shared.fallback_launches.load(std::memory_order_relaxed);
    // x86-64 keeps loads in order; the compiler must do so too.
    std::atomic_signal_fence(std::memory_order_acquire);
    if (shared.published.load(std::memory_order_acquire) == snapshot.published) return snapshot;
  }
  return input_error("the process publishes its maps faster than they can be read")
      .hint("use a longer --interval");
}

}  // namespace egpu::maps
