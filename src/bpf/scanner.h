// Reads one line of assembly text from left to right. Spaces between tokens do not matter.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace egpu::bpf {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::string_view rest() {
    skip_spaces();
    return rest_;
  }
  [[nodiscard]] bool at_end() { return rest().empty(); }

  // Takes `token` if it is next.
  bool accept(std::string_view token) {
    skip_spaces();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  // The same for a word: what follows must not continue it.
  bool accept_word(std::string_view word) {
    skip_spaces();
    if (peek_word() != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  // Letters, digits and underscores; empty where there is none.
  std::string_view word() {
    skip_spaces();
    const std::string_view found = peek_word();
    rest_.remove_prefix(found.size());
    return found;
  }

  // All up to the next space or the end.
  std::string_view symbol() {
    skip_spaces();
    const std::string_view found = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(found.size());
    return found;
  }

  struct Number {
    bool negative = false;
    std::uint64_t magnitude = 0;
  };

  // Decimal or hexadecimal, with an optional sign directly before it.
  std::optional<Number> number() {
    skip_spaces();
    std::string_view text = rest_;
    Number number{.negative = text.starts_with('-')};
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    const bool hexadecimal = text.starts_with("0x");
    if (hexadecimal) text.remove_prefix(2);
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    const auto [stop, error] = std::from_chars(begin, end, number.magnitude, hexadecimal ? 16 : 10);
    if (error != std::errc{}) return std::nullopt;
    rest_ = std::string_view(stop, end);
    if (!peek_word().empty()) return std::nullopt;
    return number;
  }

 private:
  static bool continues_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  [[nodiscard]] std::string_view peek_word() const {
    std::size_t length = 0;
    while (length < rest_.size() && continues_word(rest_[length])) ++length;
    return rest_.substr(0, length);
  }

  void skip_spaces() {
    while (rest_.starts_with(' ') || rest_.starts_with('\t')) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

}  // namespace egpu::bpf
