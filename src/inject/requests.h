// What the service asks while kernels run (abi/map_request.h): carried out by the control thread,
// which waits for none of it.
#pragma once

#include <cstdint>

#include "abi/map_request.h"
#include "cuda/driver_types.h"

namespace egpu::inject {

// One thing at a time.
class RequestLane {
 public:
  // Asks the service for the lane's socket.
  void open(abi::Lane lane);
  // For poll(); -1: nothing is to be read now, or there is none.
  [[nodiscard]] int socket() const { return busy_ ? -1 : socket_; }
  [[nodiscard]] bool busy() const { return busy_; }
  // Starts what came, or answers what was under way and is done. False: the driver is shut down.
  bool advance();
  void abandon_in_child();

 private:
  bool receive();
  cuda::Status start();
  cuda::Status finish();
  void answer(abi::RequestResult result, cuda::Status status = cuda::kSuccess);
  bool settle(cuda::Status status);

  abi::Lane lane_ = abi::Lane::kCopies;
  int socket_ = -1;
  bool busy_ = false;
  abi::MapRequest request_;
};

class Requests {
 public:
  // Once, where the service will ask; called under the lock of Instances.
  void open();
  // For poll(), -1 included.
  [[nodiscard]] int socket(std::uint32_t lane) const { return lanes_[lane].socket(); }
  [[nodiscard]] bool busy() const;
  // False: the driver is shut down.
  bool advance();
  void abandon_in_child();

 private:
  RequestLane lanes_[abi::kLanes];
};

}  // namespace egpu::inject
