#include "inject/requests.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "inject/in_instance.h"
#include "inject/session.h"
#include "inject/stream_wait.h"
#include "inject/take_snapshot.h"
#include "inject/transfers.h"

namespace egpu::inject {
namespace {

// Most copies are done by then: what takes longer is looked at again later.
constexpr int kShortWaitMs = 5;

}  // namespace

void RequestLane::open(abi::Lane lane) {
  lane_ = lane;
  abi::OpenRequests request{.lane = lane};
  abi::OpenRequestsReply reply;
  UniqueFd socket;
  if (session.connection.ask(request, -1, reply, socket) && reply.ok != 0)
    socket_ = socket.release();
}

bool RequestLane::receive() {
  while (socket_ >= 0) {
    const ssize_t size = ::recv(socket_, &request_, sizeof request_, MSG_DONTWAIT);
    if (size == static_cast<ssize_t>(sizeof request_)) return true;
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return false;
    ::close(std::exchange(socket_, -1));
  }
  return false;
}

void RequestLane::answer(abi::RequestResult result, cuda::Status status) {
  busy_ = false;
  const abi::MapReply reply{
      .sequence = request_.sequence, .result = result, .driver_status = status};
  if (socket_ >= 0) ::send(socket_, &reply, sizeof reply, MSG_DONTWAIT | MSG_NOSIGNAL);
}

// kNotReady: it goes on.
cuda::Status RequestLane::start() {
  bool refused = false;
  const auto begin = [&](Instance& instance) -> cuda::Status {
    if (request_.type == abi::RequestType::kSnapshot)
      return take_snapshot(instance, /*final=*/false);
    refused = request_.type != abi::RequestType::kTransfers || !can_transfer(instance, request_);
    if (refused) return cuda::kInvalidValue;
    const cuda::Status status = start_transfers(instance, request_);
    return status == cuda::kSuccess ? wait_for_stream(instance.stream, kShortWaitMs) : status;
  };
  const auto status = session.instances.in_instance(request_.instance, begin);
  if (refused) {
    answer(abi::RequestResult::kRefused);
    return cuda::kSuccess;
  }
  return status;
}

cuda::Status RequestLane::finish() {
  return session.instances.in_instance(request_.instance, [&](Instance& instance) {
    return request_.type == abi::RequestType::kSnapshot
               ? take_snapshot(instance, /*final=*/false)
               : session.driver.stream_query(instance.stream);
  });
}

bool RequestLane::settle(cuda::Status status) {
  if (status == cuda::kNotReady || !busy_) return true;
  if (status == cuda::kSuccess)
    answer(abi::RequestResult::kDone);
  else if (status == cuda::kInvalidContext)
    answer(abi::RequestResult::kGone);
  else
    answer(abi::RequestResult::kFailed, status);
  return status != cuda::kDeinitialized;
}

bool RequestLane::advance() {
  if (busy_) return settle(finish());
  if (!receive()) return true;
  busy_ = true;
  return settle(start());
}

void RequestLane::abandon_in_child() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

void Requests::open() {
  if (session.settings.requests == 0) return;
  for (std::uint32_t lane = 0; lane < abi::kLanes; ++lane)
    lanes_[lane].open(static_cast<abi::Lane>(lane));
}

bool Requests::busy() const {
  for (const RequestLane& lane : lanes_)
    if (lane.busy()) return true;
  return false;
}

bool Requests::advance() {
  for (RequestLane& lane : lanes_)
    if (!lane.advance()) return false;
  return true;
}

void Requests::abandon_in_child() {
  for (RequestLane& lane : lanes_) lane.abandon_in_child();
}

}  // namespace egpu::inject
