#include "session/request_lane.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/system_error.h"

namespace egpu::session {
namespace {

using Clock = std::chrono::steady_clock;

// Whether something can be read, or nobody is there any more.
bool readable(int socket, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd entry{.fd = socket, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&entry, 1, left.count() > 0 ? static_cast<int>(left.count()) : 0);
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

RequestEnd end_of(abi::RequestResult result) {
  switch (result) {
    case abi::RequestResult::kDone:
      return RequestEnd::kDone;
    case abi::RequestResult::kGone:
      return RequestEnd::kGone;
    case abi::RequestResult::kRefused:
      return RequestEnd::kRefused;
    case abi::RequestResult::kFailed:
      break;
  }
  return RequestEnd::kFailed;
}

}  // namespace

Result<UniqueFd> RequestLane::open() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return system_error("cannot make a socket");
  UniqueFd own(ends[0]);
  UniqueFd other(ends[1]);
  const std::lock_guard lock(mutex_);
  if (socket_ || closed_) return input_error("requests are asked for twice");
  socket_ = std::move(own);
  return other;
}

bool RequestLane::is_open() const {
  const std::lock_guard lock(mutex_);
  return socket_ && !closed_;
}

void RequestLane::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  if (socket_) ::shutdown(socket_.get(), SHUT_RDWR);
}

std::optional<RequestLane::Turn> RequestLane::take(std::chrono::milliseconds wait) {
  std::unique_lock lock(turn_);
  if (late_ && receive(wait) == RequestEnd::kLate) return std::nullopt;
  return Turn(*this, std::move(lock));
}

// The answer to the last request.
RequestEnd RequestLane::receive(std::chrono::milliseconds wait) {
  const auto deadline = Clock::now() + wait;
  late_ = false;
  while (readable(socket_.get(), deadline)) {
    abi::MapReply reply_untrusted;
    const ssize_t size =  // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection): it does not
        ::recv(socket_.get(), &reply_untrusted, sizeof reply_untrusted, MSG_DONTWAIT);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size != static_cast<ssize_t>(sizeof reply_untrusted)) return RequestEnd::kGone;
    if (reply_untrusted.sequence == sequence_) return end_of(reply_untrusted.result);
  }
  late_ = true;
  return RequestEnd::kLate;
}

RequestEnd RequestLane::Turn::ask(abi::MapRequest request, std::chrono::milliseconds wait) {
  if (!lane_.is_open()) return RequestEnd::kGone;
  request.sequence = ++lane_.sequence_;
  if (::send(lane_.socket_.get(), &request, sizeof request, MSG_NOSIGNAL | MSG_DONTWAIT) !=
      static_cast<ssize_t>(sizeof request))
    return RequestEnd::kGone;
  return lane_.receive(wait);
}

}  // namespace egpu::session
