#include "inject/control_thread.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <ctime>

#include "abi/ring_stream.h"
#include "inject/deadline.h"
#include "inject/report.h"
#include "inject/session.h"

namespace egpu::inject {
namespace {

constexpr int kStopSeconds = 2;
constexpr int kDrainPauseMs = 5;
constexpr int kRequestPauseMs = 1;  // between looks at one that is under way

// Until there is something to do, where nobody asks for anything.
int pause_before(const Deadline& snapshot, bool drains) {
  int pause = snapshot.left_ms();
  if (drains) pause = std::min(pause, kDrainPauseMs);
  if (session.requests.busy()) pause = std::min(pause, kRequestPauseMs);
  return pause;
}

}  // namespace

void ControlThread::start() {
  if (started_) return;
  started_ = true;
  session.requests.open();
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  // The application's signals are for the application's threads.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = ::pthread_create(&thread_, nullptr, run, this);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failed != 0) {
    thread_ = {};
    report("no control thread (error %d): maps are read at the end only", failed);
  }
}

bool ControlThread::stop() {
  if (!started_ || thread_ == pthread_t{}) return true;
  const std::uint64_t one = 1;
  if (::write(wake_, &one, sizeof one) != sizeof one) return false;
  timespec end{};
  ::clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += kStopSeconds;
  return ::pthread_timedjoin_np(thread_, nullptr, &end) == 0;
}

void* ControlThread::run(void* self) {
  ::pthread_setname_np(::pthread_self(), "egpu");
  static_cast<ControlThread*>(self)->loop();
  return nullptr;
}

void ControlThread::loop() {
  const abi::HelloReply& settings = session.settings;
  const int interval = static_cast<int>(settings.snapshot_interval_ms);
  const bool drains = abi::has_rings(settings.maps, settings.map_count);
  bool found = false;  // records, so more may be there
  Deadline snapshot(interval);
  while (true) {
    pollfd entries[2 + abi::kLanes] = {
        {.fd = wake_, .events = POLLIN, .revents = 0},
        {.fd = session.connection.socket(), .events = POLLRDHUP, .revents = 0}};
    for (std::uint32_t lane = 0; lane < abi::kLanes; ++lane)
      entries[2 + lane] = {.fd = session.requests.socket(lane), .events = POLLIN, .revents = 0};
    ::poll(entries, 2 + abi::kLanes, found ? 0 : pause_before(snapshot, drains));
    if (entries[0].revents != 0) return;
    if (entries[1].revents != 0) {
      session.active = false;
      return;
    }
    if (!session.requests.advance()) return;
    found = false;
    if (drains && !session.instances.drain_all(found)) return;
    if (snapshot.left_ms() != 0) continue;
    if (!session.instances.snapshot_all(/*final=*/false)) return;
    snapshot = Deadline(interval);
  }
}

}  // namespace egpu::inject
