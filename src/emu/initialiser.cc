#include "emu/initialiser.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "emu/immediate.h"
#include "emu/value_type.h"
#include "ptx/cursor.h"

namespace egpu::emu {
namespace {

using ptx::TokenKind;

constexpr std::size_t kMostDimensions = 8;

// "[2][3]" as 2, 3; an open dimension is 0. Nothing for expressions.
std::optional<std::vector<std::uint64_t>> dimensions_of(std::string_view text) {
  std::vector<std::uint64_t> dimensions;
  ptx::Lexer lexer(text);
  for (ptx::Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    if (!token.is('[') || dimensions.size() == kMostDimensions) return std::nullopt;
    token = lexer.next();
    std::uint64_t extent = 0;
    if (token.kind == TokenKind::kNumber) {
      const auto number = ptx::integer_value({token.text});
      if (!number || *number == 0) return std::nullopt;
      extent = *number;
      token = lexer.next();
    }
    if (!token.is(']')) return std::nullopt;
    dimensions.push_back(extent);
  }
  return dimensions;
}

// Elements of the outermost list.
std::uint64_t top_level_elements(std::string_view value) {
  ptx::Lexer lexer(value);
  std::uint64_t commas = 0;
  int depth = 0;
  for (ptx::Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    if (token.is('{') || token.is('(')) ++depth;
    if (token.is('}') || token.is(')')) --depth;
    if (depth == 1 && token.is(',')) ++commas;
  }
  return commas + 1;
}

std::uint64_t product(std::span<const std::uint64_t> extents) {
  std::uint64_t result = 1;
  for (const std::uint64_t extent : extents) result *= extent;
  return result;
}

class Reader {
 public:
  Reader(const ptx::Declaration& declaration, const ptx::Declarator& declarator,
         const Symbols& symbols, const ptx::Module& module, std::span<std::byte> bytes)
      : declaration_(declaration),
        declarator_(declarator),
        symbols_(symbols),
        module_(module),
        bytes_(bytes),
        cursor_(declarator.initialiser, {}) {}

  Result<void> run() {
    const auto type = parse_type(declaration_.type());
    auto dimensions = dimensions_of(declarator_.dimensions);
    if (!type || type->bits < 8 || type->elements != 1 || !dimensions)
      return error("this type has no initial values");
    type_ = *type;
    if (declaration_.has(".v2")) dimensions->push_back(2);
    if (declaration_.has(".v4")) dimensions->push_back(4);
    if (!dimensions->empty() && dimensions->front() == 0) {
      const std::uint64_t rest =
          product(std::span(*dimensions).subspan(1)) * (type_.total_bits() / 8);
      dimensions->front() = rest == 0 ? 0 : bytes_.size() / rest;
    }
    if (product(*dimensions) * (type_.total_bits() / 8) != bytes_.size())
      return error("the size does not fit");
    EGPU_TRY(value(*dimensions, bytes_));
    if (!cursor_.at_end()) return error("expected the end of the value");
    return {};
  }

 private:
  using Extents = std::span<const std::uint64_t>;

  Result<void> value(Extents extents, std::span<std::byte> out) {
    if (extents.empty()) return scalar(out);
    if (!cursor_.accept('{')) return error("expected '{'");
    const std::size_t stride = out.size() / extents.front();
    while (!cursor_.accept('}')) {
      if (out.empty()) return error("more values than elements");
      EGPU_TRY(value(extents.subspan(1), out.first(stride)));
      out = out.subspan(stride);
      if (!cursor_.accept(',') && !cursor_.at('}')) return error("expected ',' or '}'");
    }
    return {};
  }

  Result<void> scalar(std::span<std::byte> out) {
    std::uint64_t bits = 0;
    if (cursor_.peek().kind == TokenKind::kWord) {
      if (type_.total_bits() != 64) return error("an address needs 64 bits");
      EGPU_ASSIGN(bits, address());
    } else {
      const bool negative = cursor_.accept('-');
      if (cursor_.peek().kind != TokenKind::kNumber) return error("expected a value");
      const std::string_view text = cursor_.take().text;
      std::optional<std::uint64_t> number;
      if (cursor_.at('(') && !negative) {
        EGPU_ASSIGN(number, masked_address(text));
      } else {
        number = literal(text, negative);
      }
      if (!number) return error(fmt::format("{} is no value of its type", text));
      bits = *number;
    }
    std::memcpy(out.data(), &bits, out.size());
    return {};
  }

  std::optional<std::uint64_t> literal(std::string_view text, bool negative) const {
    const ptx::Integer integer{text, negative};
    if (type_.kind == TypeKind::kFloat) return bits_of(ptx::Float{text, negative}, type_);
    if (const auto bits = bits_of(integer, type_)) return bits;
    if (type_.kind != TypeKind::kBits) return std::nullopt;
    return bits_of(ptx::Float{text, negative}, {TypeKind::kFloat, type_.bits});
  }

  // 0xff00(table): a byte of an address.
  Result<std::optional<std::uint64_t>> masked_address(std::string_view mask_text) {
    const auto mask = ptx::integer_value({mask_text});
    cursor_.take();
    EGPU_ASSIGN(const std::uint64_t value, address());
    if (!mask || *mask == 0 || !cursor_.accept(')')) return error("expected mask(address)");
    return (value & *mask) >> static_cast<unsigned>(std::countr_zero(*mask));
  }

  // table, generic(table), generic(table)+8, function
  Result<std::uint64_t> address() {
    std::string_view name = cursor_.take().text;
    if (name == "generic" && cursor_.accept('(')) {
      name = cursor_.take().text;
      if (!cursor_.accept(')')) return error("expected ')'");
    }
    std::uint64_t result = 0;
    const auto variable = symbols_.variables.find(name);
    const auto function = symbols_.functions.find(name);
    if (variable != symbols_.variables.end() && variable->second.address != 0) {
      result = variable->second.address;
    } else if (function != symbols_.functions.end()) {
      result = address_of(function->second);
    } else {
      return error(fmt::format("{} has no address that is known here", name));
    }
    const bool minus = cursor_.at('-');
    if (!minus && !cursor_.at('+')) return result;
    cursor_.take();
    if (cursor_.peek().kind != TokenKind::kNumber) return error("expected an offset");
    const auto offset = ptx::integer_value({cursor_.take().text, minus});
    if (!offset) return error("expected an offset");
    return result + *offset;
  }

  Error error(std::string_view message) const {
    const std::string_view at = cursor_.at_end() ? declarator_.name : cursor_.peek().text;
    return input_error(fmt::format("initial value of {}: {}", declarator_.name, message))
        .at(module_.place(at));
  }

  const ptx::Declaration& declaration_;
  const ptx::Declarator& declarator_;
  const Symbols& symbols_;
  const ptx::Module& module_;
  std::span<std::byte> bytes_;
  ptx::Cursor cursor_;
  ValueType type_;
};

}  // namespace

std::optional<Extent> extent_with_value(const ptx::Declaration& declaration,
                                        const ptx::Declarator& declarator) {
  if (declarator.initialiser.empty()) return extent_of(declaration, declarator);
  const auto dimensions = dimensions_of(declarator.dimensions);
  if (!dimensions || dimensions->empty() || dimensions->front() != 0)
    return extent_of(declaration, declarator);
  ptx::Declarator inner = declarator;
  inner.dimensions = inner.dimensions.substr(inner.dimensions.find(']') + 1);
  auto extent = extent_of(declaration, inner);
  if (!extent) return std::nullopt;
  extent->bytes *= top_level_elements(declarator.initialiser);
  return extent;
}

Result<void> initialise(const ptx::Declaration& declaration, const ptx::Declarator& declarator,
                        const Symbols& symbols, const ptx::Module& module,
                        std::span<std::byte> bytes) {
  return Reader(declaration, declarator, symbols, module, bytes).run();
}

}  // namespace egpu::emu
