#include "codegen/trace_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace egpu::codegen {
namespace {

// Appends `value` as `conversion` says; false where that is none. Without an l, 32 bits count.
bool append(std::string& text, char conversion, bool is_long, std::uint64_t value) {
  const auto narrow = static_cast<std::uint32_t>(value);
  switch (conversion) {
    case 'd':
    case 'i':
      text += is_long ? std::to_string(static_cast<std::int64_t>(value))
                      : std::to_string(static_cast<std::int32_t>(narrow));
      return true;
    case 'u':
      text += std::to_string(is_long ? value : narrow);
      return true;
    case 'x':
      text += fmt::format("{:x}", is_long ? value : narrow);
      return true;
    case 'p':
      if (!is_long) text += fmt::format("{:#x}", value);
      return !is_long;
    case 'c':
      if (!is_long) text += static_cast<char>(value);
      return !is_long;
    default:
      return false;
  }
}

}  // namespace

std::optional<std::string> format_trace(std::string_view format,
                                        const std::array<std::uint64_t, 3>& values) {
  std::string text;
  std::size_t used = 0;
  while (!format.empty()) {
    const std::size_t literal = std::min(format.find('%'), format.size());
    text += format.substr(0, literal);
    format.remove_prefix(literal);
    if (format.starts_with("%%")) {
      text += '%';
      format.remove_prefix(2);
    } else if (!format.empty()) {
      format.remove_prefix(1);
      std::size_t longs = 0;
      while (longs < 2 && longs < format.size() && format[longs] == 'l') ++longs;
      format.remove_prefix(longs);
      if (format.empty() || used == values.size() ||
          !append(text, format[0], longs != 0, values[used]))
        return std::nullopt;
      ++used;
      format.remove_prefix(1);
    }
  }
  return text;
}

}  // namespace egpu::codegen
