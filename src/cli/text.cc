#include "cli/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace egpu::cli {

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string format_duration_ns(std::uint64_t nanoseconds) {
  const double milliseconds = static_cast<double>(nanoseconds) / 1e6;
  return milliseconds < 1000 ? fmt::format("{:.0f} ms", milliseconds)
                             : fmt::format("{:.1f} s", milliseconds / 1000);
}

std::string wrap(std::string_view text, std::optional<std::size_t> width, std::size_t indent) {
  std::string wrapped;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    const bool first = column == indent;
    if (!first && width && column + 1 + word.size() > *width) {
      wrapped += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      wrapped += ' ';
      ++column;
    }
    wrapped += word;
    column += word.size();
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return wrapped;
}

namespace {

std::string dumped(const nlohmann::ordered_json& document, int indent) {
  return document.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json_text(const nlohmann::ordered_json& document) { return dumped(document, 2); }

std::string json_line(const nlohmann::ordered_json& document) { return dumped(document, -1); }

}  // namespace egpu::cli
