#include "bpf/isa_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/file.h"
#include "base/hex.h"
#include "bpf/assemble.h"
#include "bpf/encode.h"

namespace egpu::bpf {
namespace {

constexpr std::string_view kRefused = "refused ";

// A case as written: its parts may hold $1, $2, ..., which each row fills in.
struct Template {
  std::string name;
  std::string assembly;
  std::string code;
  std::string memory;
  std::optional<std::string> after;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (text = trimmed(text); !text.empty();) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text = trimmed(text.substr(end));
  }
  return words;
}

Result<std::string> filled(std::string_view text, const std::vector<std::string>& arguments) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      result += text[i];
      continue;
    }
    const std::size_t index = i + 1 < text.size() ? static_cast<std::size_t>(text[i + 1] - '1') : 9;
    if (index >= arguments.size()) return input_error("the row has no such argument");
    result += arguments[index];
    ++i;
  }
  return result;
}

Result<std::uint64_t> parse_result(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value, hexadecimal ? 16 : 10);
  if (error != std::errc{} || stop != end) return input_error("a result is a number, or refused");
  return value;
}

Result<std::vector<std::byte>> code_of(const Template& from,
                                       const std::vector<std::string>& arguments) {
  EGPU_ASSIGN(const std::string hex, filled(from.code, arguments));
  if (from.assembly.empty()) return parse_hex(hex);
  EGPU_ASSIGN(const std::string assembly, filled(from.assembly, arguments));
  EGPU_ASSIGN(const std::vector<Instruction> instructions, assemble(assembly));
  EGPU_ASSIGN(EncodedProgram encoded, encode(instructions));
  return std::move(encoded.code);
}

// "ARGUMENT... => RESULT"
Result<IsaCase> make_case(const Template& from, std::string_view row) {
  const std::size_t arrow = row.find("=>");
  const std::vector<std::string> arguments = words_of(row.substr(0, arrow));
  const std::string_view outcome = trimmed(row.substr(arrow + 2));
  IsaCase result;
  result.name = from.name;
  EGPU_ASSIGN(result.code, code_of(from, arguments));
  EGPU_ASSIGN(const std::string memory, filled(from.memory, arguments));
  EGPU_ASSIGN(result.memory, parse_hex(memory));
  if (from.after) {
    EGPU_ASSIGN(const std::string after, filled(*from.after, arguments));
    EGPU_ASSIGN(result.after, parse_hex(after));
  }
  if (outcome.starts_with(kRefused)) {
    result.refusal = outcome.substr(kRefused.size());
  } else {
    EGPU_ASSIGN(result.result, parse_result(outcome));
  }
  return result;
}

class FileParser {
 public:
  Result<void> take(std::string_view line) {
    if (line.starts_with('#') || trimmed(line).empty()) return {};
    if (line.starts_with(' ')) {
      template_.assembly += std::string(line) + '\n';
      return {};
    }
    if (line.find("=>") != std::string_view::npos) {
      EGPU_ASSIGN(IsaCase next, make_case(template_, line));
      cases.push_back(std::move(next));
      return {};
    }
    const std::string_view keyword = line.substr(0, line.find(' '));
    const std::string value(trimmed(line.substr(keyword.size())));
    if (keyword == "case") {
      template_ = {};
      template_.name = value;
    } else if (keyword == "memory") {
      template_.memory = value;
    } else if (keyword == "after") {
      template_.after = value;
    } else if (keyword == "code") {
      template_.code = value;
    } else {
      return input_error(fmt::format("\"{}\" is no part of a case", keyword));
    }
    return {};
  }

  std::vector<IsaCase> cases;

 private:
  Template template_;
};

}  // namespace

Result<std::vector<IsaCase>> load_isa_cases(const std::filesystem::path& file) {
  EGPU_ASSIGN(const std::vector<std::byte> content, read_file(file));
  FileParser parser;
  std::string_view text = as_text(content);
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string place = fmt::format("{}:{}", file.filename().string(), number);
    const std::size_t known = parser.cases.size();
    if (auto taken = parser.take(text.substr(0, end)); !taken) {
      Error error = std::move(taken).error();
      error.place = error.place.empty() ? place : fmt::format("{}, {}", place, error.place);
      return error;
    }
    if (parser.cases.size() > known) {
      parser.cases.back().name = fmt::format("{}: {}", place, parser.cases.back().name);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::move(parser.cases);
}

}  // namespace egpu::bpf
