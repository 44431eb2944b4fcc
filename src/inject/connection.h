// The library's end of the connection to the service (abi/protocol.h). Thread-safe; every wait is
// bounded.
//
// A service that does not answer in time costs one wait: while that answer is outstanding, later
// requests fail at once. Anything that is not the expected answer ends the connection for good.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "abi/protocol.h"
#include "base/fd.h"
#include "inject/deadline.h"
#include "inject/sync.h"

namespace egpu::inject {

class Connection {
 public:
  bool open(const char* socket_path, int max_wait_ms);

  // Sends `request`, with a copy of `fd` unless it is -1, and waits for its answer. False: no
  // usable answer.
  template <class Request, class Reply>
  bool ask(Request& request, int fd, Reply& reply, UniqueFd& reply_fd) {
    return exchange(request.header, sizeof request, fd, &reply, sizeof reply, reply_fd);
  }

  // Sends without an answer; dropped when the service does not take it soon.
  template <class Message>
  void tell(Message& message) {
    const Lock lock(mutex_);
    message.header.sequence = ++sequence_;
    send_packet(&message, sizeof message, -1, Deadline(kTellWaitMs));
  }

  [[nodiscard]] bool alive() const { return alive_.load(std::memory_order_acquire); }
  // For poll(): hangs up when the service is gone, or when the connection was ended here.
  [[nodiscard]] int socket() const { return socket_.load(std::memory_order_relaxed); }
  // After fork(), in the child: takes no lock, leaves the parent's connection as it is.
  void abandon_in_child();

 private:
  static constexpr int kTellWaitMs = 100;
  enum class Received { kAnswer, kOther, kNothing };

  // `reply` starts with a Header too.
  bool exchange(abi::Header& request, std::size_t size, int fd, void* reply, std::size_t reply_size,
                UniqueFd& reply_fd);
  bool send_packet(const void* packet, std::size_t size, int fd, Deadline deadline);
  Received receive_packet(std::uint32_t sequence, void* reply, std::size_t reply_size,
                          UniqueFd& reply_fd, Deadline deadline);
  bool outstanding_answer_arrived();
  void end();

  Mutex mutex_;
  std::atomic<int> socket_{-1};
  std::atomic<bool> alive_{false};
  int max_wait_ms_ = 0;
  std::uint32_t sequence_ = 0;
  std::uint32_t outstanding_ = 0;  // sequence of a request that timed out; 0: none
};

}  // namespace egpu::inject
