#include "fatbin/ptx_text.h"

#include <charconv>

namespace egpu::fatbin {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

std::string_view from(std::string_view text, std::size_t at) {
  return at < text.size() ? text.substr(at) : std::string_view{};
}

// The text from its first character that is neither blank nor comment.
std::string_view skip_blanks(std::string_view text) {
  while (true) {
    text = from(text, text.find_first_not_of(kBlanks));
    if (text.starts_with("//")) {
      text = from(text, text.find('\n'));
    } else if (text.starts_with("/*")) {
      const std::size_t end = text.find("*/", 2);
      text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 2);
    } else {
      return text;
    }
  }
}

// Takes `word`, with blanks or comments behind it, off the front of `text`.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text = skip_blanks(text.substr(word.size()));
  return true;
}

}  // namespace

bool is_ptx(std::string_view text) { return skip_blanks(text).starts_with(".version"); }

Result<PtxTarget> ptx_target(std::string_view text) {
  text = skip_blanks(text);
  if (!take(text, ".version")) return input_error("PTX does not begin with .version");
  text = skip_blanks(from(text, text.find_first_not_of("0123456789.")));
  if (!take(text, ".target")) return input_error("no .target behind the PTX's .version");
  if (!text.starts_with("sm_"))
    return input_error("the PTX's .target names no sm_ architecture first");
  text.remove_prefix(3);
  PtxTarget target{};
  const auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), target.architecture);
  if (failure != std::errc{}) return input_error("the PTX's .target sm_ has no number");
  if (end != text.data() + text.size() && (*end == 'a' || *end == 'f')) target.suffix = *end;
  return target;
}

}  // namespace egpu::fatbin
