#include "session/packet_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "base/system_error.h"

namespace egpu::session {
namespace {

// The first descriptor of a message; any others are closed.
UniqueFd take_fd(msghdr& message) {
  UniqueFd first;
  for (cmsghdr* control = CMSG_FIRSTHDR(&message); control != nullptr;
       control = CMSG_NXTHDR(&message, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(control) + i * sizeof(int), sizeof fd);
      UniqueFd owned(fd);
      if (!first) first = std::move(owned);
    }
  }
  return first;
}

}  // namespace

Result<UniqueFd> listen_on(const std::filesystem::path& path) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!fd) return system_error("cannot create a socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() >= sizeof address.sun_path)
    return input_error("socket path is too long")
        .at(text)
        .hint("set TMPDIR to a shorter directory");
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  const mode_t old_mask = ::umask(0177);
  const int bound = ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::umask(old_mask);
  if (bound != 0) return system_error("cannot bind the service's socket").at(text);
  if (::listen(fd.get(), 64) != 0) return system_error("cannot listen").at(text);
  return fd;
}

Result<Peer> accept_peer(int listener) {
  int fd = -1;
  do fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
  if (fd < 0) return system_error("cannot accept");
  Peer peer{UniqueFd(fd), 0, 0};
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
    return system_error("cannot read the peer's credentials");
  peer.pid = credentials.pid;
  peer.uid = credentials.uid;
  return peer;
}

Result<std::optional<Packet>> receive_packet(int socket, std::span<std::byte> buffer) {
  iovec part{buffer.data(), buffer.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got = -1;
  do got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got < 0 && errno == ECONNRESET) return std::optional<Packet>();
  if (got < 0) return system_error("cannot receive");
  UniqueFd fd = take_fd(message);
  if (got == 0) return std::optional<Packet>();
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
    return input_error("packet is larger than any message");
  return Packet{static_cast<std::size_t>(got), std::move(fd)};
}

Result<void> send_packet(int socket, Bytes packet, int fd) {
  iovec part{const_cast<std::byte*>(packet.data()), packet.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  ssize_t sent = -1;
  do sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent < 0) return system_error("cannot send");
  return {};
}

}  // namespace egpu::session
