#include "inject/control_thread.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <ctime>

#include "abi/ring_stream.h"
#include "base/clock.h"
#include "inject/deadline.h"
#include "inject/drain_pace.h"
#include "inject/report.h"
#include "inject/session.h"

namespace egpu::inject {
namespace {

constexpr int kStopSeconds = 2;
constexpr std::uint64_t kRequestPauseUs = 1000;  // between looks at one that is under way

// Until there is something to do, where nobody asks for anything.
timespec pause_before(const Deadline& snapshot, bool drains, const DrainPace& pace) {
  std::uint64_t us = static_cast<std::uint64_t>(snapshot.left_ms()) * 1000;
  if (drains) us = std::min(us, pace.pause_us());
  if (session.requests.busy()) us = std::min(us, kRequestPauseUs);
  return {.tv_sec = static_cast<std::time_t>(us / 1'000'000),
          .tv_nsec = static_cast<long>(us % 1'000'000 * 1000)};
}

// False: the driver is shut down.
bool drain(DrainPace& pace, std::uint64_t& last_ns) {
  const std::uint64_t start_ns = monotonic_ns();
  DrainState state;
  if (!session.instances.drain_all(state)) return false;
  pace.round(state, (start_ns - last_ns) / 1000);
  last_ns = start_ns;
  return true;
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
  DrainPace pace;
  std::uint64_t drained_ns = monotonic_ns();  // when the last round began
  Deadline snapshot(interval);
  while (true) {
    pollfd entries[2 + abi::kLanes] = {
        {.fd = wake_, .events = POLLIN, .revents = 0},
        {.fd = session.connection.socket(), .events = POLLRDHUP, .revents = 0}};
    for (std::uint32_t lane = 0; lane < abi::kLanes; ++lane)
      entries[2 + lane] = {.fd = session.requests.socket(lane), .events = POLLIN, .revents = 0};
    const timespec pause = pause_before(snapshot, drains, pace);
    ::ppoll(entries, 2 + abi::kLanes, &pause, nullptr);
    if (entries[0].revents != 0) return;
    if (entries[1].revents != 0) {
      session.active = false;
      return;
    }
    if (!session.requests.advance()) return;
    if (drains && !drain(pace, drained_ns)) return;
    if (snapshot.left_ms() != 0) continue;
    if (!session.instances.snapshot_all(/*final=*/false)) return;
    snapshot = Deadline(interval);
  }
}

}  // namespace egpu::inject
