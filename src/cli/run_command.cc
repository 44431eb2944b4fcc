// In order: everything that can be wrong with the input is found before anything starts; then the
// service, then the program; the report comes when the program has ended, whatever way it ended.
#include "cli/run_command.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <system_error>

#include "abi/protocol.h"
#include "base/clock.h"
#include "base/file.h"
#include "cli/child_process.h"
#include "cli/diagnostics.h"
#include "cli/emulator.h"
#include "cli/program_set.h"
#include "cli/record_printer.h"
#include "cli/run_report.h"
#include "session/module_cache.h"
#include "session/session.h"

namespace egpu::cli {
namespace {

namespace fs = std::filesystem;

Result<void> check_gpu(const Machine& machine) {
  if (can_use_gpu(machine)) return {};
  return input_error("no NVIDIA GPU found on this machine: the driver's /dev/nvidiactl is missing")
      .hint(
          "`egpu run --emulate` runs the program in egpu's emulator; `egpu doctor` says what is "
          "missing for a GPU");
}

Result<void> check_inject_library(const Installation& installation) {
  std::error_code ignored;
  const fs::path library = installation.inject_library();
  if (fs::exists(library, ignored)) return {};
  return input_error("egpu's own library is missing")
      .at(library.string())
      .hint("keep libegpu_inject.so in the folder of the egpu executable");
}

// Its file.
Result<fs::path> locate_program(const Machine& machine, const std::string& program) {
  std::error_code ignored;
  const bool is_path = program.find('/') != std::string::npos;
  if (is_path && ::access(program.c_str(), X_OK) == 0 && !fs::is_directory(program, ignored))
    return fs::path(program);
  if (!is_path)
    if (auto found = find_program(machine, {program})) return *std::move(found);
  if (is_path && fs::exists(program, ignored))
    return input_error("the program is no executable file")
        .at(program)
        .hint(fs::is_directory(program, ignored) ? "it is a folder: give a program in it"
                                                 : "chmod +x makes a file executable");
  return input_error("the program does not exist")
      .at(program)
      .hint(is_path ? "check the path"
                    : "it is not on PATH; a program in this folder is ./" + program);
}

// Found now, not after the program has run for hours.
Result<void> check_output(const std::string& output) {
  if (output.empty()) return {};
  std::error_code ignored;
  const fs::path path = output;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (!fs::is_directory(path, ignored) &&
      ::access((fs::exists(path, ignored) ? path : folder).c_str(), W_OK) == 0)
    return {};
  return input_error("the report cannot be written there")
      .at(output)
      .hint("give --output a file in a folder you may write to");
}

// The object of a set that passed the checker whole.
Result<bpf::Object> accepted_object(ProgramSet set) {
  if (!set.refused.empty()) return std::move(set.refused.front());
  return std::move(*set.object);
}

// Empty with --no-cache, and where the user has no home directory.
fs::path cache_for(const Machine& machine, const RunOptions& options) {
  if (options.no_cache) return {};
  const auto directory = session::cache_directory(machine.environment);
  return directory ? *directory : fs::path();
}

session::SessionOptions session_options(const Context& context, const Machine& machine,
                                        const RunOptions& options, bpf::Object object,
                                        session::RecordSink* records) {
  return {.object = std::move(object),
          .inject_library = context.installation.inject_library(),
          .cache_directory = cache_for(machine, options),
          .assembler = session::search_from(machine.environment),
          .emulated = options.emulate,
          .snapshot_interval = std::chrono::milliseconds(options.interval_ms),
          .max_wait = std::chrono::milliseconds(options.max_wait_ms),
          .records = records};
}

// For the program: how it finds the session, and the emulator where it shall.
std::vector<std::string> program_environment(const Context& context, const Machine& machine,
                                             const RunOptions& options,
                                             const session::Session& service) {
  std::vector<std::string> settings =
      service.environment(machine.variable(abi::kInjectionVariable));
  if (options.emulate)
    std::ranges::move(emulator_environment(context.installation, machine),
                      std::back_inserter(settings));
  return environment_with(settings);
}

}  // namespace

bool can_use_gpu(const Machine& machine) {
  return has_gpu(machine) || machine.variable(kAssumeGpuVariable) == "1";
}

Result<Outcome> run_command(const Context& context, const Machine& machine,
                            const RunOptions& options) {
  EGPU_ASSIGN(ProgramSet set,
              load_programs(context.installation, options.object, options.settings));
  EGPU_ASSIGN(bpf::Object object, accepted_object(std::move(set)));
  EGPU_ASSIGN(const fs::path program, locate_program(machine, options.command.front()));
  EGPU_TRY(check_output(options.output));
  EGPU_TRY(options.emulate ? check_emulator(context.installation) : check_gpu(machine));
  EGPU_TRY(check_inject_library(context.installation));

  const bool has_rings = std::ranges::any_of(
      object.maps, [](const bpf::MapDefinition& map) { return bpf::is_ring(map.type); });
  std::optional<RecordPrinter> records;
  if (has_rings) {
    EGPU_ASSIGN(records, RecordPrinter::open(object, options.output, options.json));
  }

  const SignalForwarding signals;
  EGPU_ASSIGN(const std::unique_ptr<session::Session> service,
              session::Session::start(session_options(context, machine, options, std::move(object),
                                                      records ? &*records : nullptr)));
  if (options.emulate) announce_emulator(program, context.messages);
  EGPU_ASSIGN(
      const pid_t child,
      start_process(options.command, program_environment(context, machine, options, *service)));

  RunReport report;
  report.end = signals.wait(child);
  report.end_time_ns = monotonic_ns();
  service->finish();
  report.object = &service->object();
  report.session = service->report();
  report.command = options.command;
  report.top = options.top;
  report.emulated = options.emulate;
  report.verbose = options.verbose;

  Outcome outcome;
  outcome.exit_code = report.end.signal != 0 ? 128 + report.end.signal : report.end.code;
  const Terminal target = options.output.empty() ? context.output : Terminal{};
  outcome.text = options.json ? report_json(report) : report_text(report, target);
  if (records) {  // the report goes where they went
    records->print(outcome.text);
    outcome.text.clear();
  }
  if (options.output.empty() || records) return outcome;
  if (auto written = overwrite_file(options.output, as_bytes(outcome.text)); !written) {
    // The program will not run again for it: the report goes to standard output.
    outcome.errors.push_back(std::move(written).error());
    outcome.exit_code = kExitInput;
    return outcome;
  }
  outcome.text.clear();
  return outcome;
}

}  // namespace egpu::cli
