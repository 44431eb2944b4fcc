#include "session/assembler_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace egpu::session {
namespace {

constexpr std::size_t kMaxShown = 300;  // of one line

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1).substr(0, kMaxShown);
}

// Takes the next line off the front of `text`.
std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

// Empty where there is no such line.
std::string_view line_of(std::string_view text, unsigned number) {
  for (unsigned i = 1; i < number && !text.empty(); ++i) next_line(text);
  return number == 0 ? std::string_view{} : trim(next_line(text));
}

std::optional<unsigned> line_number_in(std::string_view line) {
  constexpr std::string_view kMark = ", line ";
  const std::size_t at = line.find(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = line.substr(at + kMark.size());
  unsigned number = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc{})
    return std::nullopt;
  return number;
}

// "error   : text" or "fatal   : text" to text; nothing in other lines.
std::optional<std::string_view> complaint_in(std::string_view line) {
  for (const std::string_view mark : {"error", "fatal"}) {
    const std::size_t at = line.find(mark);
    const std::size_t colon = line.find(':', at);
    if (at == std::string_view::npos || colon == std::string_view::npos) continue;
    if (!trim(line.substr(at + mark.size(), colon - at - mark.size())).empty()) continue;
    return trim(line.substr(colon + 1));
  }
  return std::nullopt;
}

}  // namespace

Error assembler_error(std::string_view assembler, std::string_view log, std::string_view ptx) {
  for (std::string_view rest = log; !rest.empty();) {
    const std::string_view line = next_line(rest);
    const auto complaint = complaint_in(line);
    if (!complaint) continue;
    Error error = input_error(fmt::format("{} refuses the PTX: {}", assembler, *complaint));
    if (const auto number = line_number_in(line)) {
      error.place = fmt::format("PTX line {}", *number);
      const std::string_view source = line_of(ptx, *number);
      if (!source.empty()) error.place += fmt::format(" `{}`", source);
    }
    if (complaint->starts_with("Unsupported .version"))
      error.remedy =
          "the PTX is newer than the assembler: install a newer CUDA toolkit or name its ptxas in "
          "EGPU_PTXAS";
    return error;
  }
  const std::string_view whole = trim(log);
  return input_error(fmt::format("{} failed{}{}", assembler, whole.empty() ? "" : ": ", whole));
}

}  // namespace egpu::session
