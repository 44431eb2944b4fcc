#include <fmt/format.h>
#include <signal.h>

#include <cstring>

#include "base/printable.h"
#include "cli/diagnostics.h"
#include "cli/map_text.h"
#include "cli/map_views.h"
#include "cli/run_report.h"
#include "cli/text.h"
#include "maps/format.h"
#include "maps/histogram.h"

namespace egpu::cli {
namespace {

std::string title(const RunReport& report, const MapView& view) {
  std::string text = printable(report.object->maps[view.map].name);
  if (!view.instance || report.session.instances.size() < 2) return text + "\n";
  const session::InstanceView& instance = report.session.instances[*view.instance];
  const std::int32_t pid = report.session.processes[instance.process].pid;
  return text + fmt::format(" (process {}, device {}: {})\n", pid, instance.device,
                            printable(instance.device_name));
}

std::string refusals_text(const maps::Refusals& refusals) {
  std::string text;
  if (refusals.full != 0)
    text += counted(refusals.full, "update") + " found the map full: raise max_entries\n";
  if (refusals.busy != 0)
    text +=
        counted(refusals.busy, "operation") + " gave up: too many threads wanted the same keys\n";
  return text;
}

// "12 smaller entries not shown, calls in all 345"
std::string rest_text(const maps::Rest& rest) {
  const char* const noun = rest.entries == 1 ? "entry" : "entries";
  if (rest.field.empty()) return fmt::format("{} more {} not shown\n", rest.entries, noun);
  const std::string sum = rest.is_signed ? fmt::to_string(static_cast<std::int64_t>(rest.sum))
                                         : fmt::to_string(rest.sum);
  return fmt::format("{} smaller {} not shown, {} in all {}\n", rest.entries, noun,
                     printable(rest.field), sum);
}

std::string map_text(const RunReport& report, const maps::Names& names, const MapView& view,
                     const Terminal& terminal) {
  const bpf::MapDefinition& map = report.object->maps[view.map];
  std::string text = title(report, view);
  if (!view.entries) return text + format_error(view.entries.error(), terminal.colour);
  if (view.entries->entries.empty())
    text += bpf::is_array(map.type) ? "all entries are zero\n" : "empty\n";
  else
    text += entries_text(*report.object, map, names, *view.entries, terminal.width);
  if (view.rest) text += rest_text(*view.rest);
  if (view.entries->zero_entries != 0 && !view.entries->entries.empty() &&
      !maps::is_log2_array(names.btf, map))
    text += fmt::format("{} zero {} not shown\n", view.entries->zero_entries,
                        view.entries->zero_entries == 1 ? "entry" : "entries");
  return text + refusals_text(view.entries->refusals.value_or(maps::Refusals{}));
}

// "events: 12 records, 3 dropped"
std::string ring_text(const RunReport& report, const RingView& ring) {
  std::string text = fmt::format("{}: {}", printable(report.object->maps[ring.map].name),
                                 counted(ring.totals.records, "record"));
  if (ring.totals.discarded != 0) text += fmt::format(", {} discarded", ring.totals.discarded);
  return text + fmt::format(", {} dropped\n", ring.totals.dropped);
}

}  // namespace

std::string report_text(const RunReport& report, const Terminal& terminal) {
  const std::vector<std::string> kernels = kernel_names(report.session.kernels);
  const maps::Names names{.btf = report.object->btf, .kernels = kernels};
  std::string text;
  for (const MapView& view : map_views(*report.object, report.session, report.top)) {
    if (!text.empty()) text += "\n";
    text += map_text(report, names, view, terminal);
  }
  for (const RingView& ring : ring_views(*report.object, report.session)) {
    if (!text.empty()) text += "\n";
    text += ring_text(report, ring);
  }
  std::vector<std::string> warnings = warnings_of(report);
  if (report.end.signal != 0)
    warnings.insert(warnings.begin(),
                    fmt::format("the program was ended by signal {} ({})", report.end.signal,
                                ::strsignal(report.end.signal)));
  const std::vector<std::string> loads =
      report.verbose ? probed_loads_of(report) : std::vector<std::string>();
  if (!text.empty() && !(warnings.empty() && loads.empty())) text += "\n";
  for (const std::string& load : loads) text += format_note(load, terminal.colour);
  for (const std::string& warning : warnings) text += format_warning(warning, terminal.colour);
  return text;
}

}  // namespace egpu::cli
