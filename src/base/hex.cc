#include "base/hex.h"

#include <fmt/format.h>

#include <optional>

namespace egpu {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::optional<unsigned> digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

}  // namespace

Result<std::vector<std::byte>> parse_hex(std::string_view text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_space(text[i])) continue;
    const auto high = digit(text[i]);
    const auto low = i + 1 < text.size() ? digit(text[i + 1]) : std::nullopt;
    if (!high || !low) {
      return input_error("a byte has two hexadecimal digits")
          .at(fmt::format("character {}", i + 1))
          .hint("write bytes as in: b7 00 00 00");
    }
    bytes.push_back(static_cast<std::byte>(*high << 4 | *low));
    ++i;
  }
  return bytes;
}

}  // namespace egpu
