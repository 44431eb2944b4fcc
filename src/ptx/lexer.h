// PTX text to tokens. Comments and whitespace separate tokens and are dropped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ptx/token.h"

namespace egpu::ptx {

// A small value: copying one is how to look ahead. The text must outlive it and its tokens.
class Lexer {
 public:
  explicit Lexer(std::string_view text_untrusted)
      : position_(text_untrusted.data()), end_(position_ + text_untrusted.size()) {}

  // The next token; at the end kEnd, again and again. After kInvalid only the end follows.
  Token next();

 private:
  bool skip_blanks();  // false: a comment without an end, at position_
  Token token(TokenKind kind, const char* end);
  Token invalid();
  Token word();
  Token directive();
  Token number();
  Token string();

  const char* position_;
  const char* end_;
};

// Line and column, from 1, of `part`, a slice of `text`. Reads the text up to there.
struct Place {
  std::size_t line = 1;
  std::size_t column = 1;
};
Place place_of(std::string_view text, std::string_view part);

// For messages: "'ld.global'", "the end of the text", "a string without an end".
std::string describe(const Token& token);

// All tokens without kEnd; `name` is for the error's place. The text must outlive them.
Result<std::vector<Token>> tokens(std::string_view text_untrusted, std::string_view name);

}  // namespace egpu::ptx
