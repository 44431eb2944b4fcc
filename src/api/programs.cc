// Observed programs as children of the caller.
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "api/failure.h"
#include "api/handles.h"
#include "base/fd.h"
#include "base/system_error.h"
#include "cli/child_process.h"

namespace egpu::api {
namespace {

std::vector<std::string> strings_of(const char* const* list) {
  std::vector<std::string> strings;
  for (; *list != nullptr; ++list) strings.emplace_back(*list);
  return strings;
}

// Whether the child ended in time; it is not reaped. `timeout_ms` < 0: without an end.
bool ends_within(pid_t child, int timeout_ms) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  if (!process) return true;  // none of ours: waitpid() says so
  const std::uint64_t milliseconds = timeout_ms < 0 ? 0 : static_cast<std::uint64_t>(timeout_ms);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd entry{.fd = process.get(), .events = POLLIN, .revents = 0};
    const int wait = timeout_ms < 0 ? -1 : static_cast<int>(std::max<long>(left.count(), 0));
    const int ready = ::poll(&entry, 1, wait);
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

}  // namespace
}  // namespace egpu::api

using egpu::api::failed;
using egpu::api::guarded;

int egpu_session_start(egpu_session* session, const char* const argv[], const char* const envp[],
                       pid_t* pid) {
  return guarded([&] {
    if (session == nullptr || argv == nullptr || argv[0] == nullptr || pid == nullptr)
      return failed(EINVAL, "a program needs a session, its name, and a place for its process id");
    const auto environment = envp == nullptr ? egpu::cli::environment_with(session->settings)
                                             : egpu::cli::environment_with(
                                                   session->settings, egpu::api::strings_of(envp));
    const auto child = egpu::cli::start_process(egpu::api::strings_of(argv), environment);
    if (!child) return failed(child.error());
    *pid = *child;
    return 0;
  });
}

int egpu_session_wait(egpu_session* session, pid_t pid, int timeout_ms, int* status) {
  return guarded([&] {
    if (session == nullptr || pid <= 0) return failed(EINVAL, "no process");
    if (!egpu::api::ends_within(pid, timeout_ms)) return failed(ETIMEDOUT, "it still runs");
    int ended = 0;
    while (::waitpid(pid, &ended, 0) < 0) {
      if (errno == EINTR) continue;
      const int number = errno;
      return failed(number, to_string(egpu::system_error("cannot wait for the process", number)));
    }
    if (status != nullptr) *status = ended;
    return 0;
  });
}
