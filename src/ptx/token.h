// The words of PTX text.
#pragma once

#include <cstdint>
#include <string_view>

namespace egpu::ptx {

enum class TokenKind : std::uint8_t {
  kEnd,
  kWord,         // opcode with its modifiers (ld.shared::cta.u32), register (%tid.x), symbol, label
  kDirective,    // one dotted name: .reg, .b32, .entry
  kNumber,       // 42, 0x2a, 0f3F800000, 9.0; the sign is punctuation
  kString,       // with its quotes
  kPunctuation,  // one character
  kInvalid,      // a byte PTX does not use, or a string or comment without an end
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // inside the source, so that its place can be told

  bool is(char punctuation) const {
    return kind == TokenKind::kPunctuation && text.front() == punctuation;
  }
  bool is_directive(std::string_view name) const {
    return kind == TokenKind::kDirective && text == name;
  }

  bool operator==(const Token&) const = default;
};

}  // namespace egpu::ptx
