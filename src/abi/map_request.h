// What the service asks of the control thread in an observed process, while kernels run: to take a
// snapshot now, to copy parts of the maps out of the device's memory and into it, and to call the
// functions of maps on the device (abi/map_call.h).
//
// Requests of each lane have a Unix SOCK_SEQPACKET socket of their own, which the library asks for
// with kOpenRequests, and a half of the exchange area: memory behind the stream of records in each
// snapshot area, through which the bytes go that are copied. A lane does one thing at a time: the
// service writes to its half, asks, and leaves that memory alone until the answer comes; there is
// one for each request, also where what was asked for takes long. Two lanes, because calls wait for
// room on the device, which kernels of the application may fill, and copies do not.
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/protocol.h"
#include "abi/ring_stream.h"

namespace egpu::abi {

// Where a lane's half of the exchange area starts in the snapshot area.
constexpr std::uint64_t lane_offset(const MapSpec* maps, std::size_t count, std::uint32_t shards,
                                    Lane lane) {
  return exchange_offset(maps, count, shards) + static_cast<std::uint64_t>(lane) * kLaneBytes;
}

enum class RequestType : std::uint16_t {
  kSnapshot = 1,  // lane kCopies
  kTransfers,     // lane kCopies
  kCalls,         // lane kCalls
};

// `count` pieces of `bytes` each. They lie `device_stride` apart in the device allocation, which
// holds the maps (device_offset()), and one behind the other in the lane's memory.
struct Transfer {
  enum class Kind : std::uint32_t { kToHost, kToDevice, kZero };
  Kind kind = Kind::kToHost;
  std::uint32_t count = 1;
  std::uint64_t device_offset = 0;
  std::uint64_t device_stride = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lane_offset = 0;
};
inline constexpr std::uint32_t kMaxTransfers = 16;
inline constexpr std::uint32_t kMaxPieces = 1 << 16;

struct MapRequest {
  std::uint64_t sequence = 0;
  RequestType type = RequestType::kSnapshot;
  std::uint16_t reserved = 0;
  std::uint32_t instance = 0;              // OpenInstanceReply::instance
  std::uint32_t count = 0;                 // of transfers or of calls
  std::uint32_t bytes = 0;                 // of calls, with what belongs to them
  Transfer transfers[kMaxTransfers] = {};  // carried out in this order
};

enum class RequestResult : std::uint32_t {
  kDone = 0,
  kGone,     // the instance's context ended, or was lost
  kRefused,  // not what this library can do
  kFailed,   // by the driver
};

struct MapReply {
  std::uint64_t sequence = 0;  // of the request
  RequestResult result = RequestResult::kDone;
  std::int32_t driver_status = 0;  // of kFailed
};

}  // namespace egpu::abi
