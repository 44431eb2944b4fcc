#include "inject/control_thread.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <ctime>

#include "inject/report.h"
#include "inject/session.h"

namespace egpu::inject {
namespace {

constexpr int kStopSeconds = 2;

}  // namespace

void ControlThread::start() {
  if (started_) return;
  started_ = true;
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
  const int interval = static_cast<int>(session.settings.snapshot_interval_ms);
  while (true) {
    pollfd entries[] = {{.fd = wake_, .events = POLLIN, .revents = 0},
                        {.fd = session.connection.socket(), .events = POLLRDHUP, .revents = 0}};
    ::poll(entries, 2, interval);
    if (entries[0].revents != 0) return;
    if (entries[1].revents != 0) {
      session.active = false;
      return;
    }
    if (!session.instances.snapshot_all(/*final=*/false)) return;
  }
}

}  // namespace egpu::inject
