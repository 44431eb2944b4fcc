// One request for copies (abi/map_request.h), from its first part to its answer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "abi/map_request.h"
#include "base/bytes.h"
#include "maps/places.h"
#include "session/map_error.h"
#include "session/request_lane.h"

namespace egpu::session {

// What the end of a request means for who asked.
MapResult<void> result_of(RequestEnd end);

class DeviceCopies {
 public:
  // `memory`: the lane's.
  DeviceCopies(RequestLane::Turn& turn, std::uint32_t instance, std::span<std::byte> memory)
      : turn_(turn), memory_(memory) {
    request_.type = abi::RequestType::kTransfers;
    request_.instance = instance;
  }

  // Parts of `bytes` each, in the device allocation. Gives where they will be, one behind the
  // other, once carry_out() succeeded. All together have no more bytes than the lane, and there are
  // at most abi::kMaxTransfers.
  Bytes read(const maps::Parts& parts, std::uint64_t bytes);
  void write(std::uint64_t device_offset, Bytes content);
  void zero(const maps::Parts& parts, std::uint64_t bytes);

  MapResult<void> carry_out(std::chrono::milliseconds wait);

 private:
  abi::Transfer& add(abi::Transfer::Kind kind, const maps::Parts& parts, std::uint64_t bytes);

  RequestLane::Turn& turn_;
  std::span<std::byte> memory_;
  std::uint64_t used_ = 0;
  abi::MapRequest request_{};
};

}  // namespace egpu::session
