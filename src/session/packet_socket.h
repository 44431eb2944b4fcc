// Unix SOCK_SEQPACKET with file descriptors and peer credentials: the service's end of
// abi/protocol.h.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"

namespace egpu::session {

struct Packet {
  std::size_t size = 0;  // bytes of the buffer that were filled
  UniqueFd fd;           // at most one travels with a packet
};

// Listens on `path`, which must not exist; mode 0600.
Result<UniqueFd> listen_on(const std::filesystem::path& path);

struct Peer {
  UniqueFd socket;
  pid_t pid;
  uid_t uid;
};
// Blocks until somebody connects, or fails once the listening socket is shut down.
Result<Peer> accept_peer(int listener);

// Blocks for the next packet. Nothing: the peer is gone. A packet larger than `buffer` is an error.
Result<std::optional<Packet>> receive_packet(int socket, std::span<std::byte> buffer);

// `fd` < 0: none. Never raises SIGPIPE.
Result<void> send_packet(int socket, Bytes packet, int fd = -1);

}  // namespace egpu::session
