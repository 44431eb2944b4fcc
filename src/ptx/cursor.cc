#include "ptx/cursor.h"

#include <fmt/format.h>

namespace egpu::ptx {
namespace {

bool opens(const Token& token) { return token.is('(') || token.is('[') || token.is('{'); }
bool closes(const Token& token) { return token.is(')') || token.is(']') || token.is('}'); }

char partner(const Token& opening) { return opening.is('(') ? ')' : opening.is('[') ? ']' : '}'; }

}  // namespace

Result<void> Cursor::skip_to(std::string_view stops, std::string_view what) {
  while (true) {
    const bool stop = current_.kind == TokenKind::kPunctuation &&
                      stops.find(current_.text.front()) != std::string_view::npos;
    if (stop) return {};
    if (at_end() || closes(current_)) return expected(what);
    if (opens(current_)) {
      EGPU_TRY(skip_group());
    } else {
      take();
    }
  }
}

// Iterative: foreign text may nest brackets as deep as it is long.
Result<void> Cursor::skip_group() {
  std::string open;
  do {
    if (opens(current_)) {
      open.push_back(partner(current_));
    } else if (closes(current_)) {
      if (!at(open.back())) return expected(fmt::format("'{}'", open.back()));
      open.pop_back();
    } else if (at_end()) {
      return expected(fmt::format("'{}'", open.back()));
    }
    take();
  } while (!open.empty());
  return {};
}

Error Cursor::expected(std::string_view what) const {
  return error(fmt::format("expected {}, found {}", what, describe(current_)));
}

Error Cursor::error(std::string message) const {
  const Place place = place_of(text_, current_.text);
  return input_error(std::move(message))
      .at(fmt::format("{}:{}:{}", name_, place.line, place.column));
}

}  // namespace egpu::ptx
