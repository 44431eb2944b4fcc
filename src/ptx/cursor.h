// The parser's place in the text: one token of look-ahead, slices of the source, errors with their
// place.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ptx/lexer.h"

namespace egpu::ptx {

class Cursor {
 public:
  // `text_untrusted` and `name` must outlive the cursor.
  Cursor(std::string_view text_untrusted, std::string_view name)
      : text_(text_untrusted), name_(name), lexer_(text_), current_(lexer_.next()) {}

  const Token& peek() const { return current_; }
  Token peek_second() const { return Lexer(lexer_).next(); }
  bool at(char punctuation) const { return current_.is(punctuation); }
  bool at_end() const {
    return current_.kind == TokenKind::kEnd || current_.kind == TokenKind::kInvalid;
  }

  Token take() {
    const Token taken = current_;
    last_end_ = taken.text.data() + taken.text.size();
    current_ = lexer_.next();
    return taken;
  }
  bool accept(char punctuation) {
    if (!at(punctuation)) return false;
    take();
    return true;
  }

  // Takes tokens up to one of `stops` outside all brackets, which stays; `what` is for the error
  // where the text or an enclosing bracket ends before.
  Result<void> skip_to(std::string_view stops, std::string_view what);
  // Takes a bracket, everything in it and its partner.
  Result<void> skip_group();

  // Where the current token begins, for since() and rewind().
  const char* mark() const { return current_.text.data(); }
  // The source from `mark` to the last token taken; empty where none was.
  std::string_view since(const char* mark) const {
    return last_end_ > mark ? std::string_view(mark, last_end_) : std::string_view(mark, mark);
  }
  void rewind(const char* mark) {
    lexer_ = Lexer({mark, text_.data() + text_.size()});
    last_end_ = mark;
    current_ = lexer_.next();
  }

  // "expected WHAT, found TOKEN" at the current token.
  Error expected(std::string_view what) const;
  // `message` at the current token.
  Error error(std::string message) const;

 private:
  std::string_view text_;
  std::string_view name_;
  Lexer lexer_;
  Token current_;
  const char* last_end_ = text_.data();
};

}  // namespace egpu::ptx
