// The service's end of a lane of requests (abi/map_request.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "abi/map_request.h"
#include "base/fd.h"
#include "base/result.h"

namespace egpu::session {

enum class RequestEnd {
  kDone,
  kLate,     // it goes on, and nothing else can be asked for in this lane
  kGone,     // the process, or what was asked for in it
  kRefused,  // the library cannot do that
  kFailed,   // by the driver
};

// Thread-safe; one thread at a time has its turn.
class RequestLane {
 public:
  class Turn {
   public:
    // Once. `wait`: bound on the answer.
    RequestEnd ask(abi::MapRequest request, std::chrono::milliseconds wait);

   private:
    friend class RequestLane;
    Turn(RequestLane& lane, std::unique_lock<std::mutex> lock)
        : lane_(lane), lock_(std::move(lock)) {}
    RequestLane& lane_;
    std::unique_lock<std::mutex> lock_;
  };

  // Opens the lane; gives the library's end.
  Result<UniqueFd> open();
  [[nodiscard]] bool is_open() const;
  // Nobody gets an answer any more.
  void close();

  // While it lasts the lane's memory is the caller's. Nothing: what was late before still is, after
  // `wait`.
  std::optional<Turn> take(std::chrono::milliseconds wait);

 private:
  RequestEnd receive(std::chrono::milliseconds wait);

  std::mutex turn_;
  std::uint64_t sequence_ = 0;  // guarded by turn_
  bool late_ = false;           // guarded by turn_
  mutable std::mutex mutex_;    // guards what follows: never closed while somebody waits on it
  UniqueFd socket_;
  bool closed_ = false;
};

}  // namespace egpu::session
