#include "ptx/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/printable.h"

namespace egpu::ptx {
namespace {

enum CharacterClass : std::uint8_t {
  kBlank = 1,
  kDigit = 2,
  kNameStart = 4,  // also a name's later characters
  kOther = 8,      // punctuation
};

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (const char c : std::string_view(" \t\r\n\v\f"))
    classes[static_cast<unsigned char>(c)] = kBlank;
  for (unsigned c = '0'; c <= '9'; ++c) classes[c] = kDigit;
  for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = kNameStart;
  for (unsigned c = 'A'; c <= 'Z'; ++c) classes[c] = kNameStart;
  classes['_'] = classes['$'] = kNameStart;
  for (const char c : std::string_view(",;:[](){}<>+-*/=!@|&^~?%."))
    classes[static_cast<unsigned char>(c)] = kOther;
  return classes;
}
constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

bool is(char c, unsigned classes) {
  return (kClasses[static_cast<unsigned char>(c)] & classes) != 0;
}
bool in_name(char c) { return is(c, kNameStart | kDigit); }

const char* skip_name(const char* p, const char* end) {
  while (p != end && in_name(*p)) ++p;
  return p;
}

// Behind "::name" where that follows, as in .shared::cta and .mbarrier::complete_tx::bytes.
const char* skip_qualifiers(const char* p, const char* end) {
  while (end - p > 2 && p[0] == ':' && p[1] == ':' && in_name(p[2])) p = skip_name(p + 2, end);
  return p;
}

}  // namespace

Token Lexer::token(TokenKind kind, const char* end) {
  const Token result{kind, {position_, end}};
  position_ = end;
  return result;
}

Token Lexer::invalid() { return token(TokenKind::kInvalid, end_); }

bool Lexer::skip_blanks() {
  while (position_ != end_) {
    const std::string_view rest(position_, end_);
    if (is(rest.front(), kBlank)) {
      ++position_;
    } else if (rest.starts_with("//")) {
      position_ = std::find(position_, end_, '\n');
    } else if (rest.starts_with("/*")) {
      const std::size_t close = rest.find("*/", 2);
      if (close == std::string_view::npos) return false;
      position_ += close + 2;
    } else {
      return true;
    }
  }
  return true;
}

Token Lexer::next() {
  if (!skip_blanks()) return invalid();
  if (position_ == end_) return token(TokenKind::kEnd, end_);
  const char c = *position_;
  const bool name_follows = end_ - position_ > 1 && in_name(position_[1]);
  if (is(c, kNameStart) || (c == '%' && name_follows)) return word();
  if (c == '.' && name_follows) return directive();
  if (is(c, kDigit)) return number();
  if (c == '"') return string();
  if (is(c, kOther)) return token(TokenKind::kPunctuation, position_ + 1);
  return invalid();
}

Token Lexer::word() {
  const char* p = skip_qualifiers(skip_name(position_ + 1, end_), end_);
  while (end_ - p > 1 && *p == '.' && in_name(p[1]))
    p = skip_qualifiers(skip_name(p + 1, end_), end_);
  return token(TokenKind::kWord, p);
}

Token Lexer::directive() {
  return token(TokenKind::kDirective, skip_qualifiers(skip_name(position_ + 1, end_), end_));
}

// An exponent's sign belongs to the number: 1.5e-3. In hexadecimal forms 'e' is a digit.
Token Lexer::number() {
  const std::string_view rest(position_, end_);
  const bool prefixed = rest.size() > 1 && rest[0] == '0' && is(rest[1], kNameStart);
  const char* p = skip_name(position_, end_);
  if (!prefixed) {
    if (end_ - p > 1 && *p == '.' && is(p[1], kDigit)) p = skip_name(p + 1, end_);
    const bool exponent = p[-1] == 'e' || p[-1] == 'E';
    if (exponent && end_ - p > 1 && (*p == '+' || *p == '-') && is(p[1], kDigit))
      p = skip_name(p + 1, end_);
  }
  return token(TokenKind::kNumber, p);
}

Token Lexer::string() {
  for (const char* p = position_ + 1; p != end_ && *p != '\n'; ++p) {
    if (*p == '"') return token(TokenKind::kString, p + 1);
    if (*p == '\\' && p + 1 != end_ && p[1] != '\n') ++p;
  }
  return invalid();
}

Place place_of(std::string_view text, std::string_view part) {
  const std::string_view before =
      text.substr(0, static_cast<std::size_t>(part.data() - text.data()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
          1 + before.size() - line_start};
}

std::string describe(const Token& token) {
  constexpr std::size_t kLongest = 60;
  if (token.kind == TokenKind::kEnd) return "the end of the text";
  if (token.kind != TokenKind::kInvalid) {
    const bool whole = token.text.size() <= kLongest;
    return fmt::format("'{}{}'", printable(token.text.substr(0, kLongest)), whole ? "" : "...");
  }
  if (token.text.starts_with('"')) return "a string without an end";
  if (token.text.starts_with("/*")) return "a comment without an end";
  const char c = token.text.front();
  if (c > ' ' && c <= '~') return fmt::format("the character '{}', which PTX does not use", c);
  return fmt::format("the byte 0x{:02x}, which PTX does not use", static_cast<unsigned char>(c));
}

Result<std::vector<Token>> tokens(std::string_view text_untrusted, std::string_view name) {
  std::vector<Token> result;
  Lexer lexer(text_untrusted);
  while (true) {
    const Token token = lexer.next();
    if (token.kind == TokenKind::kEnd) return result;
    if (token.kind == TokenKind::kInvalid) {
      const Place place = place_of(text_untrusted, token.text);
      return input_error("found " + describe(token))
          .at(fmt::format("{}:{}:{}", name, place.line, place.column));
    }
    result.push_back(token);
  }
}

}  // namespace egpu::ptx
