#include "ptx/ast.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include "ptx/lexer.h"

namespace egpu::ptx {
namespace {

// All of `text` as a number; nothing where anything is left over or it does not fit.
std::optional<std::uint64_t> parse_number(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// Bytes of ".b8" to ".b128", ".f16x2" and the like.
std::optional<std::uint64_t> scalar_bytes(std::string_view type) {
  constexpr std::pair<std::string_view, std::uint64_t> kOddTypes[] = {
      {".f16x2", 4}, {".bf16", 2}, {".bf16x2", 4}, {".tf32", 4}};
  for (const auto& [name, bytes] : kOddTypes)
    if (type == name) return bytes;
  if (type.size() < 3 || std::string_view("busf").find(type[1]) == std::string_view::npos)
    return std::nullopt;
  const auto bits = parse_number(type.substr(2), 10);
  if (!bits || *bits < 8 || *bits > 128 || (*bits & (*bits - 1)) != 0) return std::nullopt;
  return *bits / 8;
}

// The product of "[2][3]", 1 for no brackets; nothing for "[]" and for expressions.
std::optional<std::uint64_t> element_count(std::string_view dimensions) {
  std::uint64_t count = 1;
  Lexer lexer(dimensions);
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    const Token extent = lexer.next();
    if (!token.is('[') || extent.kind != TokenKind::kNumber || !lexer.next().is(']'))
      return std::nullopt;
    const auto number = integer_value({extent.text});
    const auto product = number ? multiply(count, *number) : std::nullopt;
    if (!product) return std::nullopt;
    count = *product;
  }
  return count;
}

// The first token behind the module directive `name`.
Token argument_of(const std::vector<Item>& items, std::string_view name) {
  for (const Item& item : items) {
    const auto* directive = std::get_if<Directive>(&item);
    if (directive == nullptr || directive->name() != name) continue;
    Lexer lexer(directive->text);
    lexer.next();
    return lexer.next();
  }
  return {};
}

}  // namespace

std::optional<std::uint64_t> integer_value(const Integer& integer) {
  std::string_view digits = integer.text;
  if (digits.ends_with('U')) digits.remove_suffix(1);
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    const char form = digits[1];
    base = form == 'x' || form == 'X' ? 16 : form == 'b' || form == 'B' ? 2 : 8;
    digits.remove_prefix(base == 8 ? 1 : 2);
  }
  const auto value = parse_number(digits, base);
  return value && integer.negative ? std::optional(std::uint64_t{0} - *value) : value;
}

std::vector<std::string_view> Opcode::modifiers() const {
  std::vector<std::string_view> result;
  std::size_t dot = text.find('.');
  while (dot != std::string_view::npos) {
    const std::size_t next = text.find('.', dot + 1);
    result.push_back(text.substr(dot + 1, next - dot - 1));
    dot = next;
  }
  return result;
}

bool Opcode::has(std::string_view modifier) const {
  const auto all = modifiers();
  return std::find(all.begin(), all.end(), modifier) != all.end();
}

bool Declaration::has(std::string_view directive) const {
  Lexer lexer(specifiers);
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next())
    if (token.is_directive(directive)) return true;
  return false;
}

std::optional<std::uint64_t> Declaration::alignment() const {
  Lexer lexer(specifiers);
  std::optional<std::uint64_t> result;
  bool of_pointee = false;
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    of_pointee = of_pointee || token.is_directive(".ptr");
    if (token.is_directive(".align") && !of_pointee) result = integer_value({lexer.next().text});
  }
  return result;
}

// The last directive before the name, pointer attributes of a parameter aside.
std::string_view Declaration::type() const {
  Lexer lexer(specifiers);
  std::string_view result;
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    if (token.is_directive(".ptr")) break;
    if (token.kind == TokenKind::kDirective && token.text != ".align") result = token.text;
  }
  return result;
}

std::optional<std::uint64_t> Declaration::bytes(const Declarator& declarator) const {
  const auto element = scalar_bytes(type());
  const auto count = element_count(declarator.dimensions);
  if (!element || !count || !declarator.count.empty()) return std::nullopt;
  const std::uint64_t lanes = has(".v4") ? 4 : has(".v2") ? 2 : 1;
  return multiply(*element * lanes, *count);
}

std::string_view Directive::name() const { return Lexer(text).next().text; }

std::optional<Version> Module::version() const {
  const std::string_view text = argument_of(items, ".version").text;
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto major = parse_number(text.substr(0, dot), 10);
  const auto minor = parse_number(text.substr(dot + 1), 10);
  if (!major || !minor || *major > 1000 || *minor > 1000) return std::nullopt;
  return Version{static_cast<unsigned>(*major), static_cast<unsigned>(*minor)};
}

std::optional<Target> Module::target() const {
  std::string_view text = argument_of(items, ".target").text;
  for (const std::string_view prefix : {"sm_", "compute_"}) {
    if (!text.starts_with(prefix)) continue;
    text.remove_prefix(prefix.size());
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto architecture = parse_number(text.substr(0, digits), 10);
    if (!architecture || *architecture > 10'000) return std::nullopt;
    return Target{static_cast<unsigned>(*architecture), text.substr(digits)};
  }
  return std::nullopt;
}

std::optional<unsigned> Module::address_size() const {
  const auto size = parse_number(argument_of(items, ".address_size").text, 10);
  if (!size || *size > 64) return std::nullopt;
  return static_cast<unsigned>(*size);
}

std::vector<const Function*> Module::entries() const {
  std::vector<const Function*> result;
  for (const Item& item : items) {
    const auto* function = std::get_if<Function>(&item);
    if (function != nullptr && function->entry && function->body) result.push_back(function);
  }
  return result;
}

std::string Module::place(std::string_view part) const {
  if (buffers_.empty()) return name;
  // The first buffer is the text that was parsed; the others hold single words and foreign parts.
  const std::string_view source = *buffers_.front();
  const std::less<> before;  // the built-in order is for pointers into one buffer
  const char* const start = part.data();
  if (before(start, source.data()) || before(source.data() + source.size(), start)) return name;
  const Place where = place_of(source, part);
  return fmt::format("{}:{}:{}", name, where.line, where.column);
}

std::string_view Module::intern(std::string text) {
  return *buffers_.emplace_back(std::make_shared<const std::string>(std::move(text)));
}

void Module::adopt(const Module& other) {
  buffers_.insert(buffers_.end(), other.buffers_.begin(), other.buffers_.end());
}

}  // namespace egpu::ptx
