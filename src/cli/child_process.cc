#include "cli/child_process.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/argument_vector.h"
#include "base/system_error.h"

namespace egpu::cli {
namespace {

constexpr int kForwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

sigset_t watched_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : kForwarded) sigaddset(&signals, number);
  sigaddset(&signals, SIGCHLD);
  return signals;
}

std::string_view name_of(std::string_view setting) { return setting.substr(0, setting.find('=')); }

}  // namespace

SignalForwarding::SignalForwarding() {
  // Who started us may have it ignored, and then no child could be waited for.
  ::signal(SIGCHLD, SIG_DFL);
  const sigset_t signals = watched_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

SignalForwarding::~SignalForwarding() {
  const sigset_t signals = watched_signals();
  // A ^C may reach us after the child it ended: it has done its work, and the report is still to
  // come.
  const timespec no_wait{};
  while (::sigtimedwait(&signals, nullptr, &no_wait) > 0) continue;
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

ProcessEnd SignalForwarding::wait(pid_t child) const {
  const sigset_t signals = watched_signals();
  while (true) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child && WIFEXITED(status)) return {.code = WEXITSTATUS(status), .signal = 0};
    if (ended == child && WIFSIGNALED(status)) return {.code = 0, .signal = WTERMSIG(status)};

    siginfo_t information{};
    const int number = ::sigwaitinfo(&signals, &information);
    const bool from_a_process = information.si_code <= 0;
    if (number > 0 && number != SIGCHLD && from_a_process) ::kill(child, number);
  }
}

Result<pid_t> start_process(const std::vector<std::string>& command,
                            const std::vector<std::string>& environment) {
  posix_spawnattr_t attributes;
  if (::posix_spawnattr_init(&attributes) != 0)
    return internal_error("no memory for a new process");
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);

  pid_t child = 0;
  const int failure =
      ::posix_spawnp(&child, command.front().c_str(), nullptr, &attributes,
                     argument_vector(command).data(), argument_vector(environment).data());
  ::posix_spawnattr_destroy(&attributes);
  if (failure == 0) return child;
  return system_error("cannot start the program", failure)
      .at(command.front())
      .hint(failure == ENOENT
                ? "give a program on PATH or a path to one, such as ./" + command.front()
                : "the program must be an executable file");
}

std::vector<std::string> environment_with(const std::vector<std::string>& settings) {
  std::vector<std::string> own;
  for (char** variable = ::environ; *variable != nullptr; ++variable) own.emplace_back(*variable);
  return environment_with(settings, own);
}

std::vector<std::string> environment_with(const std::vector<std::string>& settings,
                                          const std::vector<std::string>& variables) {
  std::vector<std::string> environment = settings;
  for (const std::string& variable : variables) {
    const bool replaced = std::ranges::any_of(settings, [&](const std::string& setting) {
      return name_of(setting) == name_of(variable);
    });
    if (!replaced) environment.push_back(variable);
  }
  return environment;
}

}  // namespace egpu::cli
