#include <fmt/format.h>
#include <signal.h>

#include <cstring>

#include "base/printable.h"
#include "cli/diagnostics.h"
#include "cli/map_views.h"
#include "cli/run_report.h"
#include "cli/table.h"
#include "cli/text.h"
#include "maps/format.h"

namespace egpu::cli {
namespace {

// Entries with more columns than this are listed field by field, however wide the terminal.
constexpr std::size_t kMostColumns = 24;

bool is_number(maps::FieldKind kind) {
  return kind == maps::FieldKind::kUnsigned || kind == maps::FieldKind::kSigned;
}

class MapText {
 public:
  MapText(const RunReport& report, const MapView& view)
      : report_(report),
        object_(*report.object),
        map_(object_.maps[view.map]),
        entries_(*view.entries),
        key_leaves_(maps::flatten(maps::key_fields(object_, map_))),
        leaves_(maps::flatten(maps::value_fields(object_, map_))) {}

  [[nodiscard]] std::string render(std::optional<std::size_t> width) const {
    if (maps::is_data_section(map_)) return as_variables(width);
    const Table table = as_table();
    const bool fits = leaves_.size() <= kMostColumns && (!width || table.least_width() <= *width);
    return fits ? table.render(width) : as_list(width);
  }

 private:
  // The key's fields; the kernel's name in place of its number.
  [[nodiscard]] std::vector<std::string> key_cells(Bytes key) const {
    if (const auto* kernel = kernel_of_key(object_, map_, report_.session, key))
      return {kernel->demangled};
    std::vector<std::string> cells;
    cells.reserve(key_leaves_.size());
    for (const maps::Field& leaf : key_leaves_)
      cells.push_back(maps::format_leaf(object_.btf, leaf, key));
    return cells;
  }
  [[nodiscard]] bool keys_are_kernels() const {
    constexpr std::byte kFirst[sizeof(std::uint32_t)] = {};
    return kernel_of_key(object_, map_, report_.session, kFirst) != nullptr;
  }

  [[nodiscard]] std::vector<Column> key_columns() const {
    if (keys_are_kernels()) return {{.header = "kernel", .may_shrink = true}};
    std::vector<Column> columns;
    columns.reserve(key_leaves_.size());
    for (const maps::Field& leaf : key_leaves_)
      columns.push_back({.header = key_leaves_.size() == 1 ? "key" : "key." + leaf.name,
                         .align = is_number(leaf.kind) ? Align::kRight : Align::kLeft});
    return columns;
  }

  [[nodiscard]] Table as_table() const {
    std::vector<Column> columns = key_columns();
    for (const maps::Field& leaf : leaves_)
      columns.push_back(
          {.header = leaf.name, .align = is_number(leaf.kind) ? Align::kRight : Align::kLeft});
    Table table(std::move(columns));
    for (const maps::Entry& entry : entries_.entries) {
      std::vector<std::string> cells = key_cells(entry.key);
      for (const maps::Field& leaf : leaves_)
        cells.push_back(maps::format_leaf(object_.btf, leaf, entry.value));
      table.add_row(std::move(cells));
    }
    return table;
  }

  // Of a data section, whose one entry has no key. Zeros are of interest, but not those of tables.
  [[nodiscard]] std::string as_variables(std::optional<std::size_t> width) const {
    const bool all = leaves_.size() <= kMostColumns;
    Table table({{.header = "variable"}, {.header = "value"}});
    for (const maps::Entry& entry : entries_.entries)
      for (const maps::Field& leaf : leaves_)
        if (all || !maps::is_zero(leaf, entry.value))
          table.add_row({leaf.name, maps::format_leaf(object_.btf, leaf, entry.value)});
    return table.render(width) + (all ? "" : "fields that are zero are not shown\n");
  }

  // Each entry's key, and below it the fields that are not zero.
  [[nodiscard]] std::string as_list(std::optional<std::size_t> width) const {
    std::string text;
    for (const maps::Entry& entry : entries_.entries) {
      const std::string key = printable(fmt::format("{}", fmt::join(key_cells(entry.key), " ")));
      text += (width ? shorten(key, *width) : key) + "\n";
      Table fields({{.header = "  field"}, {.header = "value"}});
      for (const maps::Field& leaf : leaves_)
        if (!maps::is_zero(leaf, entry.value))
          fields.add_row({"  " + leaf.name, maps::format_leaf(object_.btf, leaf, entry.value)});
      text += fields.render(width);
    }
    return text + "fields that are zero are not shown\n";
  }

  const RunReport& report_;
  const bpf::Object& object_;
  const bpf::MapDefinition& map_;
  const maps::Entries& entries_;
  std::vector<maps::Field> key_leaves_;
  std::vector<maps::Field> leaves_;
};

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

std::string map_text(const RunReport& report, const MapView& view, const Terminal& terminal) {
  std::string text = title(report, view);
  if (!view.entries) return text + format_error(view.entries.error(), terminal.colour);
  if (view.entries->entries.empty())
    text +=
        bpf::is_array(report.object->maps[view.map].type) ? "all entries are zero\n" : "empty\n";
  else
    text += MapText(report, view).render(terminal.width);
  if (view.entries->zero_entries != 0 && !view.entries->entries.empty())
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
  std::string text;
  for (const MapView& view : map_views(*report.object, report.session)) {
    if (!text.empty()) text += "\n";
    text += map_text(report, view, terminal);
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
