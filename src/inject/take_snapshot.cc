#include "inject/take_snapshot.h"

#include "inject/drain_rings.h"
#include "inject/report.h"
#include "inject/scopes.h"
#include "inject/stream_wait.h"

namespace egpu::inject {
namespace {

constexpr int kSnapshotWaitMs = 2000;

// The slot that the last published snapshot is not in.
std::uint64_t free_slot(const abi::SnapshotHeader& header) {
  return header.published.load(std::memory_order_relaxed) % 2;
}

void* slot_memory(const Instance& instance, std::uint64_t slot) {
  const std::uint64_t slots = abi::area_bytes(instance.slot_bytes) - abi::kSnapshotHeaderBytes;
  return static_cast<char*>(instance.area.data()) + abi::kSnapshotHeaderBytes + slot * (slots / 2);
}

cuda::Status copy_out(const Instance& instance) {
  // A copy that was late last time still writes to its slot.
  cuda::Status status = wait_for_stream(instance.stream, kSnapshotWaitMs);
  if (status != cuda::kSuccess) return status;
  const std::uint64_t slot = free_slot(instance.header());
  instance.header().time_ns[slot].store(monotonic_ns(), std::memory_order_relaxed);
  if (instance.slot_bytes == 0) return cuda::kSuccess;  // rings alone
  status = session.driver.copy_to_host(slot_memory(instance, slot), instance.memory,
                                       instance.slot_bytes, instance.stream);
  return status == cuda::kSuccess ? wait_for_stream(instance.stream, kSnapshotWaitMs) : status;
}

// Why nothing is read any more; what is missing for it the service knows.
void report_end(const Instance& instance, cuda::Status status) {
  if (status == cuda::kDeinitialized)
    report("device %d: maps cannot be read any more: the driver was shut down", instance.device);
  else
    report("device %d: maps cannot be read any more (driver error %d)", instance.device, status);
}

}  // namespace

cuda::Status take_snapshot(Instance& instance, bool final) {
  const RelaxedCapture relaxed;
  const CurrentContext current(instance.context);
  cuda::Status status = current.status();
  if (status == cuda::kSuccess && final && instance.rings != nullptr)
    status = drain_rings_to_end(instance);
  if (status == cuda::kSuccess) status = copy_out(instance);
  if (status == cuda::kSuccess) {
    if (final) instance.header().final.store(1, std::memory_order_relaxed);
    instance.header().published.fetch_add(1, std::memory_order_release);
  } else if (status != cuda::kNotReady) {
    instance.usable = false;
    report_end(instance, status);
  }
  return status;
}

}  // namespace egpu::inject
