// Result<T>: how every fallible function in egpu reports failure.
//
// Cookbook
//   Result<Module> parse(std::string_view text);        // value or Error
//   Result<void> write(...);                            // success or Error
//   EGPU_ASSIGN(auto module, parse(text));              // unwrap, or return its error
//   EGPU_TRY(write(...));                               // the same for Result<void>
//   return input_error("unknown directive .foo").at("app.ptx:12").hint("...");
//   return internal_error("no register for %rd4");      // our bug: exit code 2, asks for a report
//
// Two roots only. kInput: what a person or a foreign program gave us is wrong; the message names
// the place and the remedy; exit code 1. kBug: an invariant of egpu's own broke; exit code 2.
// Nothing throws on purpose; exceptions of libraries are caught at the boundary that calls them.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace egpu {

enum class Fault { kInput, kBug };

struct [[nodiscard]] Error {
  Fault fault = Fault::kInput;
  std::string message;  // one sentence, lower case, no full stop
  std::string place;  // "file:line", "offset 0x40", "program count, instruction 7 (count.bpf.c:12)"
  std::string remedy;  // what the reader can do about it

  Error at(std::string where) && {
    place = std::move(where);
    return std::move(*this);
  }
  Error hint(std::string what_to_do) && {
    remedy = std::move(what_to_do);
    return std::move(*this);
  }

  bool operator==(const Error&) const = default;
};

inline Error input_error(std::string message) {
  return {Fault::kInput, std::move(message), {}, {}};
}
inline Error internal_error(std::string message) {
  return {Fault::kBug, std::move(message), {}, {}};
}

// Converts from Error without std::unexpected at every return.
template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using std::expected<T, Error>::expected;
  Result(Error error) : std::expected<T, Error>(std::unexpected(std::move(error))) {}  // NOLINT
};

// "place: message (remedy)", for logs; the command line prints the parts on lines of their own.
std::string to_string(const Error& error);

}  // namespace egpu

#define EGPU_CONCAT_(a, b) a##b
#define EGPU_CONCAT(a, b) EGPU_CONCAT_(a, b)
// A declaration cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define EGPU_ASSIGN_(temporary, declaration, expression)              \
  auto temporary = (expression);                                      \
  if (!temporary) return ::egpu::Error(std::move(temporary).error()); \
  declaration = *std::move(temporary)
// NOLINTEND(bugprone-macro-parentheses)
// Declares from a Result or returns its error.
#define EGPU_ASSIGN(declaration, ...) \
  EGPU_ASSIGN_(EGPU_CONCAT(egpu_result_, __LINE__), declaration, (__VA_ARGS__))
// Returns the error of a Result, drops its value.
#define EGPU_TRY(...)                                       \
  do {                                                      \
    if (auto egpu_result = (__VA_ARGS__); !egpu_result)     \
      return ::egpu::Error(std::move(egpu_result).error()); \
  } while (0)
