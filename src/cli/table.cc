#include "cli/table.h"

#include <algorithm>
#include <numeric>

#include "base/printable.h"

namespace egpu::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 16;

std::size_t total(const std::vector<std::size_t>& widths) {
  const std::size_t gaps = widths.empty() ? 0 : kGap * (widths.size() - 1);
  return std::accumulate(widths.begin(), widths.end(), gaps);
}

std::string render_line(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                        const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string cell = columns[i].may_shrink ? shorten(cells[i], widths[i]) : cells[i];
    const std::string padding(widths[i] - std::min(widths[i], cell.size()), ' ');
    if (i != 0) line.append(kGap, ' ');
    line += columns[i].align == Align::kLeft ? cell + padding : padding + cell;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string shorten(std::string_view text, std::size_t width) {
  if (text.size() <= width) return std::string(text);
  const std::size_t kept = width - 3;
  const std::size_t front = (kept + 1) / 2;
  return std::string(text.substr(0, front)) + "..." +
         std::string(text.substr(text.size() - (kept - front)));
}

void Table::add_row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::natural_widths() const {
  std::vector<std::size_t> widths;
  widths.reserve(columns_.size());
  for (const Column& column : columns_) widths.push_back(column.header.size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  return widths;
}

std::size_t Table::least_width() const {
  std::vector<std::size_t> widths = natural_widths();
  for (std::size_t i = 0; i < widths.size(); ++i)
    if (columns_[i].may_shrink) widths[i] = std::min(widths[i], kNarrowest);
  return total(widths);
}

std::string Table::render(std::optional<std::size_t> width) const {
  std::vector<std::size_t> widths = natural_widths();
  for (std::size_t i = 0; width && i < widths.size(); ++i) {
    const std::size_t all = total(widths);
    if (!columns_[i].may_shrink || all <= *width) continue;
    const std::size_t excess = all - *width;
    const std::size_t shrunk = widths[i] > excess ? widths[i] - excess : 0;
    widths[i] = std::min(widths[i], std::max(shrunk, kNarrowest));
  }

  std::vector<std::string> headers;
  headers.reserve(columns_.size());
  for (const Column& column : columns_) headers.push_back(column.header);
  std::string text = render_line(columns_, widths, headers);
  for (const auto& row : rows_) text += render_line(columns_, widths, row);
  return text;
}

}  // namespace egpu::cli
