#include "inject/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace egpu::inject {
namespace {

constexpr int kRetryConnectMs = 5;

// False at the deadline. Hang-ups count as ready: the next call on the socket tells what happened.
bool wait_for(int socket, short events, const Deadline& deadline) {
  while (true) {
    pollfd entry{.fd = socket, .events = events, .revents = 0};
    const int ready = ::poll(&entry, 1, deadline.left_ms());
    if (ready > 0) return true;
    if (ready < 0 && errno == EINTR) continue;
    return false;
  }
}

bool connect_until(int socket, const sockaddr_un& address, const Deadline& deadline) {
  while (true) {
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      return true;
    if (errno == EINTR) continue;
    // The service's queue of connections is full: unix(7) has no way to wait for it.
    if (errno != EAGAIN || deadline.left_ms() == 0) return false;
    ::poll(nullptr, 0, kRetryConnectMs);
  }
}

// What it says is done in this process: it must be this user's, also where its directory was
// removed and made anew.
bool is_own_service(int socket) {
  ucred service{};
  socklen_t size = sizeof service;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &service, &size) == 0 &&
         service.uid == ::geteuid();
}

union ControlBuffer {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int) * 4)];
};

// Takes the first descriptor out of a received message; others are closed.
UniqueFd take_descriptor(msghdr& message) {
  UniqueFd first;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof fd);
      UniqueFd owned(fd);
      if (!first) first = std::move(owned);
    }
  }
  return first;
}

}  // namespace

bool Connection::open(const char* socket_path, int max_wait_ms) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::strlen(socket_path);
  if (length >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, socket_path, length);
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || !connect_until(socket.get(), address, Deadline(max_wait_ms)) ||
      !is_own_service(socket.get()))
    return false;
  const Lock lock(mutex_);
  max_wait_ms_ = max_wait_ms;
  socket_.store(socket.release(), std::memory_order_relaxed);
  alive_.store(true, std::memory_order_release);
  return true;
}

bool Connection::exchange(abi::Header& request, std::size_t size, int fd, void* reply,
                          std::size_t reply_size, UniqueFd& reply_fd) {
  const Lock lock(mutex_);
  if (!outstanding_answer_arrived()) return false;
  const Deadline deadline(max_wait_ms_);
  request.sequence = ++sequence_;
  if (!send_packet(&request, size, fd, deadline)) return false;
  Received received = receive_packet(request.sequence, reply, reply_size, reply_fd, deadline);
  if (received == Received::kAnswer && static_cast<const abi::Header*>(reply)->type != request.type)
    received = Received::kOther;
  if (received == Received::kNothing) outstanding_ = request.sequence;
  if (received == Received::kOther) end();
  return received == Received::kAnswer;
}

// Discards the answer to a request that timed out. Its type is not known any more, nor needed.
bool Connection::outstanding_answer_arrived() {
  if (!alive()) return false;
  if (outstanding_ == 0) return true;
  UniqueFd discarded;
  const Received received = receive_packet(outstanding_, nullptr, 0, discarded, Deadline(0));
  if (received == Received::kNothing) return false;
  outstanding_ = 0;
  if (received == Received::kOther) end();
  return received == Received::kAnswer;
}

bool Connection::send_packet(const void* packet, std::size_t size, int fd, Deadline deadline) {
  if (!alive()) return false;
  iovec part{.iov_base = const_cast<void*>(packet), .iov_len = size};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  ControlBuffer control{};
  if (fd >= 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(sizeof fd);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  while (true) {
    if (::sendmsg(socket(), &message, MSG_NOSIGNAL) >= 0) return true;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) {
      end();
      return false;
    }
    if (!wait_for(socket(), POLLOUT, deadline)) return false;
  }
}

Connection::Received Connection::receive_packet(std::uint32_t sequence, void* reply,
                                                std::size_t reply_size, UniqueFd& reply_fd,
                                                Deadline deadline) {
  alignas(abi::Header) char packet[abi::kMaxPacketBytes];
  ControlBuffer control;
  iovec part{.iov_base = packet, .iov_len = sizeof packet};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  ssize_t size = 0;
  while ((size = ::recvmsg(socket(), &message, MSG_CMSG_CLOEXEC)) < 0) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return Received::kOther;
    if (!wait_for(socket(), POLLIN, deadline)) return Received::kNothing;
  }
  UniqueFd fd = take_descriptor(message);
  abi::Header header;
  if (static_cast<std::size_t>(size) < sizeof header || (message.msg_flags & MSG_TRUNC) != 0)
    return Received::kOther;
  std::memcpy(&header, packet, sizeof header);
  if (header.magic != abi::kMagic || header.version != abi::kVersion || header.sequence != sequence)
    return Received::kOther;
  if (reply == nullptr) return Received::kAnswer;
  if (static_cast<std::size_t>(size) != reply_size) return Received::kOther;
  std::memcpy(reply, packet, reply_size);
  reply_fd = std::move(fd);
  return Received::kAnswer;
}

// The descriptor stays open: the control thread may be polling it, and sees the hang-up.
void Connection::end() {
  alive_.store(false, std::memory_order_release);
  ::shutdown(socket(), SHUT_RDWR);
}

void Connection::abandon_in_child() {
  alive_.store(false, std::memory_order_release);
  const int fd = socket_.exchange(-1);
  if (fd >= 0) ::close(fd);
}

}  // namespace egpu::inject
