#include "cli/run_in_child.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/fd.h"

namespace egpu::cli {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

// A fault ends the child at once: no handler of ours, no core file.
void give_up_safety() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT})
    ::signal(number, SIG_DFL);
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
}

std::string to_message(const Result<Outcome>& result) {
  json message;
  if (result) {
    message = {{"text", result->text}, {"exit_code", result->exit_code}};
  } else {
    const Error& error = result.error();
    message = {{"bug", error.fault == Fault::kBug},
               {"message", error.message},
               {"place", error.place},
               {"remedy", error.remedy}};
  }
  // Whatever bytes a driver's message holds.
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Outcome> from_message(const std::string& text) {
  const json message = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!message.is_object()) return internal_error("the child process ended without a result");
  if (message.contains("text"))
    return Outcome{.text = message["text"], .errors = {}, .exit_code = message["exit_code"]};
  return Error{.fault = message["bug"].get<bool>() ? Fault::kBug : Fault::kInput,
               .message = message["message"],
               .place = message["place"],
               .remedy = message["remedy"]};
}

[[noreturn]] void run_child(const std::function<Result<Outcome>()>& body, int output) {
  give_up_safety();
  const std::string message = to_message(body());
  std::size_t done = 0;
  while (done < message.size()) {
    const ssize_t written = ::write(output, message.data() + done, message.size() - done);
    if (written <= 0) ::_exit(1);
    done += static_cast<std::size_t>(written);
  }
  ::_exit(0);  // no exit handlers: a GPU's driver would wait for what still runs there
}

// Whether the other end closed before the deadline. Appends what came until then.
bool read_until(int fd, Clock::time_point deadline, std::string& text) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&wanted, 1, left.count() > 0 ? static_cast<int>(left.count()) : 0);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    std::array<char, 4096> part;
    const ssize_t bytes = ::read(fd, part.data(), part.size());
    if (bytes <= 0) return true;
    text.append(part.data(), static_cast<std::size_t>(bytes));
  }
}

}  // namespace

Error too_long(std::chrono::milliseconds limit) {
  return input_error(fmt::format("the program did not end within {}", limit))
      .hint("does it loop forever?");
}

Result<Outcome> run_in_child(const std::function<Result<Outcome>()>& body,
                             std::chrono::milliseconds limit,
                             const std::function<Error(int signal)>& crashed) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return internal_error("cannot make a pipe");
  const UniqueFd input(ends[0]);
  UniqueFd output(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return internal_error(fmt::format("cannot fork: {}", std::strerror(errno)));
  if (child == 0) run_child(body, output.get());
  output.reset();

  std::string message;
  const bool in_time = read_until(input.get(), Clock::now() + limit, message);
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!in_time) return too_long(limit);
  if (WIFSIGNALED(status)) return crashed(WTERMSIG(status));
  return from_message(message);
}

}  // namespace egpu::cli
