#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "cli/run_report.h"
#include "cli/text.h"

namespace egpu::cli {
namespace {

constexpr std::size_t kFewNotes = 10;

std::string process_name(const RunReport& report, std::uint32_t index) {
  if (index >= report.session.processes.size()) return "a process";
  const session::ProcessView& process = report.session.processes[index];
  return fmt::format("process {} ({})", process.pid, printable(process.command));
}

// What the last snapshot of an instance cannot hold; empty where it holds everything.
std::string missing_counts(const RunReport& report, const session::InstanceView& instance) {
  if (instance.final) return "";
  const std::string who = process_name(report, instance.process);
  if (instance.published == 0)
    return fmt::format("{}, device {}: its maps were never read, so all its counts are missing",
                       who, instance.device);
  const bool ended = instance.process < report.session.processes.size() &&
                     report.session.processes[instance.process].end_time_ns != 0;
  const std::uint64_t end =
      ended ? report.session.processes[instance.process].end_time_ns : report.end_time_ns;
  const std::uint64_t window = end - std::min(end, instance.snapshot_time_ns);
  return fmt::format(
      "{}, device {}: it ended without a last snapshot; counts of its last {} may be missing", who,
      instance.device, format_duration_ns(window));
}

std::string nothing_observed(const session::SessionReport& session) {
  if (session.processes.empty())
    return "the program did not initialise CUDA, so nothing was observed";
  if (!session.kernels.empty()) return "";
  std::uint64_t modules = 0;
  for (const session::ProcessView& process : session.processes) modules += process.modules;
  if (modules == 0) return "the program loaded no GPU code, so nothing was observed";
  return fmt::format(
      "no kernel was probed: {} loaded, none with a kernel that matches and can be probed",
      counted(modules, "module"));
}

std::vector<std::string> notes_of(const RunReport& report, bool probed) {
  std::vector<std::string> sentences;
  for (const session::LoadNote& note : report.session.notes) {
    if (note.probed != probed) continue;
    const bool named = note.process < report.session.processes.size();
    sentences.push_back((named ? process_name(report, note.process) + ": " : "") +
                        printable(note.text));
  }
  return sentences;
}

void append_failed_loads(const RunReport& report, std::vector<std::string>& warnings) {
  const std::vector<std::string> notes = notes_of(report, false);
  const std::size_t shown = report.verbose ? notes.size() : std::min(notes.size(), kFewNotes);
  for (std::size_t i = 0; i < shown; ++i) warnings.push_back(notes[i]);
  if (shown < notes.size())
    warnings.push_back(
        fmt::format("{} not shown; --verbose shows all", counted(notes.size() - shown, "note")));
}

}  // namespace

bool is_complete(const RunReport& report) {
  return std::ranges::all_of(report.session.instances, &session::InstanceView::final);
}

std::vector<std::string> warnings_of(const RunReport& report) {
  std::vector<std::string> warnings;
  if (std::string nothing = nothing_observed(report.session); !nothing.empty())
    warnings.push_back(std::move(nothing));
  for (const session::InstanceView& instance : report.session.instances) {
    if (std::string missing = missing_counts(report, instance); !missing.empty())
      warnings.push_back(std::move(missing));
    if (instance.fallback_launches != 0)
      warnings.push_back(fmt::format(
          "{}, device {}: launches that ran without probes and are not counted: {}",
          process_name(report, instance.process), instance.device, instance.fallback_launches));
  }
  append_failed_loads(report, warnings);
  return warnings;
}

std::vector<std::string> probed_loads_of(const RunReport& report) { return notes_of(report, true); }

}  // namespace egpu::cli
