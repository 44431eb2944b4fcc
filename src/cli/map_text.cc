// Fields of histograms are no columns: below the table of all other fields, each key has a drawing
// for each of its histograms.
#include "cli/map_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "cli/histogram_text.h"
#include "cli/map_views.h"
#include "cli/table.h"

namespace egpu::cli {
namespace {

// Entries with more columns than this are listed field by field, however wide the terminal.
constexpr std::size_t kMostColumns = 24;

bool is_number(maps::FieldKind kind) {
  return kind == maps::FieldKind::kUnsigned || kind == maps::FieldKind::kSigned;
}

class MapText {
 public:
  MapText(const bpf::Object& object, const bpf::MapDefinition& map, const maps::Names& names,
          const maps::Entries& entries, std::optional<std::size_t> width)
      : names_(names),
        map_(map),
        entries_(entries),
        width_(width),
        key_leaves_(maps::flatten(maps::key_fields(object, map))),
        fields_(maps::split_histograms(maps::value_fields(object, map))) {}

  [[nodiscard]] std::string render() const {
    if (maps::is_log2_array(names_.btf, map_))
      return histogram_text({}, slots_of_array(map_, entries_), width_);
    if (maps::is_data_section(map_)) return as_variables() + drawings();
    if (fields_.leaves.empty()) return drawings();
    const Table table = as_table();
    const bool fits =
        fields_.leaves.size() <= kMostColumns && (!width_ || table.least_width() <= *width_);
    return (fits ? table.render(width_) : as_list()) + drawings();
  }

 private:
  [[nodiscard]] std::vector<std::string> key_cells(Bytes key) const {
    std::vector<std::string> cells;
    cells.reserve(key_leaves_.size());
    for (const maps::Field& leaf : key_leaves_)
      cells.push_back(maps::format_leaf(names_, leaf, key));
    return cells;
  }

  static Column column(const maps::Field& leaf, std::string header) {
    return {.header = std::move(header),
            .align = is_number(leaf.kind) ? Align::kRight : Align::kLeft,
            .may_shrink = leaf.kind == maps::FieldKind::kKernel};
  }

  [[nodiscard]] std::string key_header(const maps::Field& leaf) const {
    if (key_leaves_.size() != 1) return "key." + leaf.name;
    return leaf.kind == maps::FieldKind::kKernel ? "kernel" : "key";
  }

  [[nodiscard]] Table as_table() const {
    std::vector<Column> columns;
    columns.reserve(key_leaves_.size() + fields_.leaves.size());
    for (const maps::Field& leaf : key_leaves_) columns.push_back(column(leaf, key_header(leaf)));
    for (const maps::Field& leaf : fields_.leaves) columns.push_back(column(leaf, leaf.name));
    Table table(std::move(columns));
    for (const maps::Entry& entry : entries_.entries) {
      std::vector<std::string> cells = key_cells(entry.key);
      for (const maps::Field& leaf : fields_.leaves)
        cells.push_back(maps::format_leaf(names_, leaf, entry.value));
      table.add_row(std::move(cells));
    }
    return table;
  }

  // Of a data section, whose one entry has no key. Zeros are of interest, but not those of tables.
  [[nodiscard]] std::string as_variables() const {
    if (fields_.leaves.empty()) return "";
    const bool all = fields_.leaves.size() <= kMostColumns;
    Table table({{.header = "variable"}, {.header = "value"}});
    for (const maps::Entry& entry : entries_.entries)
      for (const maps::Field& leaf : fields_.leaves)
        if (all || !maps::is_zero(leaf, entry.value))
          table.add_row({leaf.name, maps::format_leaf(names_, leaf, entry.value)});
    return table.render(width_) + (all ? "" : "fields that are zero are not shown\n");
  }

  // Each entry's key, and below it the fields that are not zero.
  [[nodiscard]] std::string as_list() const {
    std::string text;
    for (const maps::Entry& entry : entries_.entries) {
      text += key_line(entry.key) + "\n";
      Table fields({{.header = "  field"}, {.header = "value"}});
      for (const maps::Field& leaf : fields_.leaves)
        if (!maps::is_zero(leaf, entry.value))
          fields.add_row({"  " + leaf.name, maps::format_leaf(names_, leaf, entry.value)});
      text += fields.render(width_);
    }
    return text + "fields that are zero are not shown\n";
  }

  [[nodiscard]] std::string key_line(Bytes key) const {
    const std::string text = printable(fmt::format("{}", fmt::join(key_cells(key), " ")));
    return width_ ? shorten(text, *width_) : text;
  }

  // What stands above a histogram: key and field, where there are several of them.
  [[nodiscard]] std::string drawing_title(const maps::Entry& entry,
                                          const maps::Field& histogram) const {
    const bool has_key = !maps::is_data_section(map_) && map_.max_entries > 1;
    const std::string field = printable(histogram.name);
    if (!has_key) return field.empty() ? "" : "\n" + field + "\n";
    return "\n" + key_line(entry.key) + (field.empty() ? "" : ": " + field) + "\n";
  }

  [[nodiscard]] std::string drawings() const {
    std::string text;
    for (const maps::Entry& entry : entries_.entries)
      for (const maps::Field& histogram : fields_.histograms) {
        if (!histogram.histogram) continue;
        const auto slots = maps::slots_of(histogram, entry.value);
        if (std::ranges::all_of(slots, [](std::uint64_t count) { return count == 0; })) continue;
        text +=
            drawing_title(entry, histogram) + histogram_text(*histogram.histogram, slots, width_);
      }
    return text;
  }

  const maps::Names& names_;
  const bpf::MapDefinition& map_;
  const maps::Entries& entries_;
  std::optional<std::size_t> width_;
  std::vector<maps::Field> key_leaves_;
  maps::SplitFields fields_;
};

}  // namespace

std::string entries_text(const bpf::Object& object, const bpf::MapDefinition& map,
                         const maps::Names& names, const maps::Entries& entries,
                         std::optional<std::size_t> width) {
  return MapText(object, map, names, entries, width).render();
}

}  // namespace egpu::cli
