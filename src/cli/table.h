// Aligned columns of plain text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace egpu::cli {

enum class Align { kLeft, kRight };

struct Column {
  std::string header;
  Align align = Align::kLeft;
  bool may_shrink = false;  // loses its middle where the table is wider than the terminal
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell for each column; may hold foreign text (base/printable.h).
  void add_row(std::vector<std::string> cells);

  // Columns of the terminal it needs at least, with its shrinking columns at their narrowest.
  [[nodiscard]] std::size_t least_width() const;

  // Header and rows, a line each. Fits `width` where its shrinking columns allow; none: as wide as
  // it is.
  [[nodiscard]] std::string render(std::optional<std::size_t> width) const;

 private:
  [[nodiscard]] std::vector<std::size_t> natural_widths() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// `text` with its middle replaced by "..." where it is longer than `width` (at least 5).
std::string shorten(std::string_view text, std::size_t width);

}  // namespace egpu::cli
