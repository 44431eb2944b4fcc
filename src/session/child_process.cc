#include "session/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/argument_vector.h"
#include "base/fd.h"
#include "base/system_error.h"

namespace egpu::session {
namespace {

// posix_spawn's settings: input from nowhere, output to `log`, a process group of its own.
class SpawnSettings {
 public:
  explicit SpawnSettings(const std::string& log) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, log.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    // The service may block signals in its threads; the child shall not inherit that.
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

int exit_status(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Whether the child ended in time. Nothing is reaped.
bool ends_within(pid_t child, std::chrono::milliseconds timeout) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd wait{process.get(), POLLIN, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

}  // namespace

Result<int> run_program(const std::filesystem::path& program,
                        const std::vector<std::string>& arguments,
                        const std::filesystem::path& directory, std::chrono::milliseconds timeout) {
  std::vector<std::string> argument_strings = {program.string()};
  argument_strings.insert(argument_strings.end(), arguments.begin(), arguments.end());
  const std::vector<std::string> environment = {"PATH=/usr/bin:/bin",
                                                "TMPDIR=" + directory.string()};
  const SpawnSettings settings((directory / "log").string());

  pid_t child = 0;
  const int failed =
      ::posix_spawn(&child, program.c_str(), settings.actions(), settings.attributes(),
                    argument_vector(argument_strings).data(), argument_vector(environment).data());
  if (failed != 0) return system_error("cannot be started", failed).at(program.string());

  if (!ends_within(child, timeout)) {
    ::kill(-child, SIGKILL);
    exit_status(child);
    return input_error(fmt::format("did not end within {} ms and was stopped", timeout.count()))
        .at(program.string());
  }
  return exit_status(child);
}

}  // namespace egpu::session
