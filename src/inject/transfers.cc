#include "inject/transfers.h"

#include <algorithm>

#include "inject/session.h"

namespace egpu::inject {
namespace {

bool fits(const Instance& instance, const abi::Transfer& transfer) {
  // Small enough that nothing below overflows.
  if (transfer.count == 0 || transfer.count > abi::kMaxPieces || transfer.bytes == 0 ||
      transfer.bytes > instance.bytes || transfer.device_stride > instance.bytes)
    return false;
  const std::uint64_t span = (transfer.count - 1) * transfer.device_stride + transfer.bytes;
  if (span > instance.bytes || transfer.device_offset > instance.bytes - span) return false;
  if (transfer.kind == abi::Transfer::Kind::kZero) return true;
  if (transfer.bytes > abi::kLaneBytes) return false;
  const std::uint64_t in_lane = transfer.count * transfer.bytes;
  return in_lane <= abi::kLaneBytes && transfer.lane_offset <= abi::kLaneBytes - in_lane;
}

cuda::Status start_piece(const Instance& instance, abi::Transfer::Kind kind,
                         cuda::DevicePointer device, char* host, std::uint64_t bytes) {
  const cuda::DriverTable& driver = session.driver;
  switch (kind) {
    case abi::Transfer::Kind::kToHost:
      return driver.copy_to_host(host, device, bytes, instance.stream);
    case abi::Transfer::Kind::kToDevice:
      return driver.copy_to_device(device, host, bytes, instance.stream);
    case abi::Transfer::Kind::kZero:
      return driver.memset_async(device, 0, bytes, instance.stream);
  }
  return cuda::kInvalidValue;
}

}  // namespace

char* lane_memory(const Instance& instance, abi::Lane lane) {
  const abi::HelloReply& settings = session.settings;
  return static_cast<char*>(instance.area.data()) +
         abi::lane_offset(settings.maps, settings.map_count, instance.shards, lane);
}

bool can_transfer(const Instance& instance, const abi::MapRequest& request) {
  return request.count <= abi::kMaxTransfers &&
         std::all_of(request.transfers, request.transfers + request.count,
                     [&](const abi::Transfer& transfer) { return fits(instance, transfer); });
}

cuda::Status start_transfers(const Instance& instance, const abi::MapRequest& request) {
  char* const memory = lane_memory(instance, abi::Lane::kCopies);
  cuda::Status status = cuda::kSuccess;
  for (std::uint32_t i = 0; i < request.count; ++i) {
    const abi::Transfer& transfer = request.transfers[i];
    for (std::uint32_t piece = 0; piece < transfer.count && status == cuda::kSuccess; ++piece)
      status =
          start_piece(instance, transfer.kind,
                      instance.memory + transfer.device_offset + piece * transfer.device_stride,
                      memory + transfer.lane_offset + piece * transfer.bytes, transfer.bytes);
  }
  return status;
}

}  // namespace egpu::inject
