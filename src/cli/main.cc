// The egpu executable: parse, do, print.
#include "cli/main.h"

#include <signal.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "cli/command_line.h"
#include "cli/diagnostics.h"
#include "cli/text.h"

namespace egpu::cli {
namespace {

std::string standard_input() {
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

Result<Outcome> execute(const Context& context, const Machine& machine, const Command& command) {
  return std::visit(
      [&](const auto& options) -> Result<Outcome> {
        using Options = std::remove_cvref_t<decltype(options)>;
        if constexpr (std::is_same_v<Options, HelpRequest>)
          return Outcome{.text = options.text, .errors = {}, .exit_code = options.exit_code};
        else if constexpr (std::is_same_v<Options, RunOptions>)
          return run_command(context, machine, options);
        else if constexpr (std::is_same_v<Options, CheckOptions>)
          return check_command(context, options);
        else if constexpr (std::is_same_v<Options, PtxOptions>)
          return ptx_command(context, options);
        else if constexpr (std::is_same_v<Options, InspectOptions>)
          return inspect_command(context, options);
        else if constexpr (std::is_same_v<Options, ConformanceOptions>)
          return conformance_command(context.installation, options,
                                     options.cases.empty() ? standard_input() : "");
        else if constexpr (std::is_same_v<Options, DemoOptions>)
          return demo_command(context, machine, options);
        else
          return doctor_command(context, machine, options);
      },
      command);
}

Outcome failed(Error error, bool json) {
  Outcome outcome{.text = {}, .errors = {}, .exit_code = exit_code(error)};
  if (json) outcome.text = json_text({{"error", error_to_json(error)}});
  outcome.errors.push_back(std::move(error));
  return outcome;
}

int print(const Context& context, const Outcome& outcome) {
  const bool written =
      std::fwrite(outcome.text.data(), 1, outcome.text.size(), stdout) == outcome.text.size() &&
      std::fflush(stdout) == 0;
  const bool reader_left = !written && errno == EPIPE;
  for (const Error& error : outcome.errors)
    std::fputs(format_error(error, context.messages.colour).c_str(), stderr);
  if (written || reader_left) return outcome.exit_code;
  std::fputs(
      format_error(input_error("cannot write to standard output"), context.messages.colour).c_str(),
      stderr);
  return kExitInput;
}

// Where our reader leaves (`egpu run ... | head`), writing fails, and what is observed goes on.
// Blocked rather than ignored: start_process() gives the program a clean mask, but what is ignored
// would stay so in it.
void outlive_readers() {
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
}

int run(std::vector<std::string> arguments) {
  outlive_readers();
  const Context context{.installation = this_installation(),
                        .output = terminal_of(stdout),
                        .messages = terminal_of(stderr)};
  const bool json = wants_json(arguments);
  const auto command = parse_command_line(std::move(arguments));
  if (!command) return print(context, failed(command.error(), json));
  auto outcome = execute(context, this_machine(), *command);
  if (!outcome) return print(context, failed(std::move(outcome).error(), json));
  return print(context, *outcome);
}

}  // namespace

int main_of(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::exception& exception) {
    // Nothing of ours throws: a library did, or memory is short. No allocation from here.
    std::fprintf(stderr, "error in egpu itself: %s\n  hint: please report this\n",
                 exception.what());
    return kExitBug;
  }
}

}  // namespace egpu::cli
