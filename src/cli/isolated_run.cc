#include "cli/isolated_run.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fd.h"

namespace egpu::cli {
namespace {

using Clock = std::chrono::steady_clock;

// A fault ends the child at once: no handler of ours, no core file.
void give_up_safety() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT})
    ::signal(number, SIG_DFL);
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
}

[[noreturn]] void run_child(const codegen::HostProgram& program, std::span<std::byte> memory,
                            int output) {
  give_up_safety();
  const std::uint64_t result = program(memory.data(), memory.size());
  const bool written = ::write(output, &result, sizeof result) == sizeof result;
  ::_exit(written ? 0 : 1);
}

// Whether the other end wrote or closed before the deadline.
bool wait_for_input(int fd, Clock::time_point deadline) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&wanted, 1, left.count() > 0 ? static_cast<int>(left.count()) : 0);
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0;
  }
}

Error describe_end(int status, std::size_t memory_bytes) {
  if (!WIFSIGNALED(status)) return internal_error("the program's process ended without a result");
  const int number = WTERMSIG(status);
  if (number != SIGSEGV && number != SIGBUS)
    return input_error(fmt::format("signal {} ({}) ended the program", number, strsignal(number)));
  return input_error("the program accessed memory that it does not have")
      .hint(fmt::format("it has {} bytes at r1 and 512 bytes of stack in each function",
                        memory_bytes));
}

}  // namespace

Result<std::uint64_t> run_isolated(const codegen::HostProgram& program, std::span<std::byte> memory,
                                   std::chrono::milliseconds limit) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return internal_error("cannot make a pipe");
  const UniqueFd input(ends[0]);
  UniqueFd output(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return internal_error(fmt::format("cannot fork: {}", std::strerror(errno)));
  if (child == 0) run_child(program, memory, output.get());
  output.reset();

  const bool in_time = wait_for_input(input.get(), Clock::now() + limit);
  if (!in_time) ::kill(child, SIGKILL);
  std::uint64_t result = 0;
  const bool has_result = ::read(input.get(), &result, sizeof result) == sizeof result;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (has_result) return result;
  if (in_time) return describe_end(status, memory.size());
  return input_error(fmt::format("the program did not end within {}", limit))
      .hint("does it loop forever?");
}

}  // namespace egpu::cli
