#include "session/device_copies.h"

#include <algorithm>
#include <cerrno>

namespace egpu::session {

MapResult<void> result_of(RequestEnd end) {
  switch (end) {
    case RequestEnd::kDone:
      return {};
    case RequestEnd::kLate:
      return std::unexpected(MapError{ETIMEDOUT, "the device did not answer in time"});
    case RequestEnd::kGone:
      return std::unexpected(MapError{ENODEV, "the process or its context has ended"});
    case RequestEnd::kRefused:
      return std::unexpected(MapError{EOPNOTSUPP, "the process cannot do that"});
    case RequestEnd::kFailed:
      break;
  }
  return std::unexpected(MapError{EIO, "the driver failed"});
}

abi::Transfer& DeviceCopies::add(abi::Transfer::Kind kind, const maps::Parts& parts,
                                 std::uint64_t bytes) {
  abi::Transfer& transfer = request_.transfers[request_.count++];
  transfer = {.kind = kind,
              .count = parts.count,
              .device_offset = parts.offset,
              .device_stride = parts.stride,
              .bytes = bytes,
              .lane_offset = used_};
  return transfer;
}

Bytes DeviceCopies::read(const maps::Parts& parts, std::uint64_t bytes) {
  add(abi::Transfer::Kind::kToHost, parts, bytes);
  const Bytes place = memory_.subspan(used_, parts.count * bytes);
  used_ += place.size();
  return place;
}

void DeviceCopies::write(std::uint64_t device_offset, Bytes content) {
  add(abi::Transfer::Kind::kToDevice, {.offset = device_offset}, content.size());
  std::ranges::copy(content, memory_.subspan(used_, content.size()).begin());
  used_ += content.size();
}

void DeviceCopies::zero(const maps::Parts& parts, std::uint64_t bytes) {
  if (parts.count != 0) add(abi::Transfer::Kind::kZero, parts, bytes);
}

MapResult<void> DeviceCopies::carry_out(std::chrono::milliseconds wait) {
  return result_of(turn_.ask(request_, wait));
}

}  // namespace egpu::session
