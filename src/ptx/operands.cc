#include "ptx/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace egpu::ptx {
namespace {

bool is_float(std::string_view number) {
  if (number.size() > 1 && number[0] == '0') {
    const char form = number[1];
    if (form == 'f' || form == 'F' || form == 'd' || form == 'D') return true;
    if (form == 'x' || form == 'X') return false;
  }
  return number.find_first_of(".eE") != std::string_view::npos;
}

// Each function reads one shape, or gives nothing where the text has another; the caller then goes
// back and keeps the source. PTX nests operands two deep ([texture, {coordinates}]), the bound
// leaves room.
class OperandParser {
 public:
  OperandParser(Cursor& cursor, const RegisterScopes& registers, const Opcode& opcode)
      : cursor_(cursor),
        registers_(registers),
        branch_(opcode.base() == "bra" || opcode.base() == "brx") {}

  std::optional<Operand> operand(int depth = 0) {
    constexpr int kDeepest = 4;
    if (depth > kDeepest) return std::nullopt;
    if (cursor_.at('-') || cursor_.peek().kind == TokenKind::kNumber) return number();
    if (cursor_.at('!') || cursor_.peek().kind == TokenKind::kWord) return name();
    if (cursor_.at('[')) return address(depth);
    if (cursor_.at('{')) return list<Vector>('}', depth);
    if (cursor_.at('(')) return list<ParameterList>(')', depth);
    return std::nullopt;
  }

 private:
  std::optional<Operand> number() {
    const bool negative = cursor_.accept('-');
    if (cursor_.peek().kind != TokenKind::kNumber) return std::nullopt;
    const std::string_view text = cursor_.take().text;
    if (is_float(text)) return Float{text, negative};
    return Integer{text, negative};
  }

  std::optional<Operand> name() {
    const bool negated = cursor_.accept('!');
    if (cursor_.peek().kind != TokenKind::kWord) return std::nullopt;
    const std::string_view text = cursor_.take().text;
    Operand operand = classify(text, negated);
    if (cursor_.at('|')) return pair(operand);
    if (negated && !std::holds_alternative<Register>(operand)) return std::nullopt;
    return operand;
  }

  Operand classify(std::string_view text, bool negated) const {
    if (text.starts_with('%') && is_special_register(text)) return SpecialRegister{text};
    if (text.starts_with('%') || text == "_" || registers_.contains(text))
      return Register{text, negated};
    if (branch_) return LabelName{text};
    return Symbol{text};
  }

  std::optional<Operand> pair(const Operand& first) {
    cursor_.take();
    const bool negated = cursor_.accept('!');
    if (cursor_.peek().kind != TokenKind::kWord) return std::nullopt;
    const Operand second = classify(cursor_.take().text, negated);
    const auto* first_register = std::get_if<Register>(&first);
    const auto* second_register = std::get_if<Register>(&second);
    if (first_register == nullptr || second_register == nullptr) return std::nullopt;
    return Pair{*first_register, *second_register};
  }

  std::optional<Operand> address(int depth) {
    cursor_.take();
    Address result;
    auto base = operand(depth + 1);
    if (!base) return std::nullopt;
    result.parts.push_back(*std::move(base));
    result.plus = cursor_.accept('+');
    result.minus = cursor_.accept('-');
    if (result.plus || result.minus) {
      if (cursor_.peek().kind != TokenKind::kNumber) return std::nullopt;
      result.offset = cursor_.take().text;
    }
    while (cursor_.accept(',')) {
      auto part = operand(depth + 1);
      if (!part) return std::nullopt;
      result.parts.push_back(*std::move(part));
    }
    if (!cursor_.accept(']')) return std::nullopt;
    return result;
  }

  template <class List>
  std::optional<Operand> list(char close, int depth) {
    cursor_.take();
    List result;
    if (cursor_.accept(close)) return result;
    do {
      auto element = operand(depth + 1);
      if (!element) return std::nullopt;
      result.elements.push_back(*std::move(element));
    } while (cursor_.accept(','));
    if (!cursor_.accept(close)) return std::nullopt;
    return result;
  }

  Cursor& cursor_;
  const RegisterScopes& registers_;
  bool branch_;
};

}  // namespace

Result<std::vector<Operand>> parse_operands(Cursor& cursor, const RegisterScopes& registers,
                                            const Opcode& opcode) {
  std::vector<Operand> operands;
  if (cursor.at(';')) return operands;
  OperandParser parser(cursor, registers, opcode);
  do {
    const char* const start = cursor.mark();
    auto operand = parser.operand();
    if (operand && (cursor.at(',') || cursor.at(';'))) {
      operands.push_back(*std::move(operand));
      continue;
    }
    cursor.rewind(start);
    EGPU_TRY(cursor.skip_to(",;", fmt::format("';' after the operands of {}", opcode.text)));
    operands.emplace_back(RawOperand{cursor.since(start)});
  } while (cursor.accept(','));
  return operands;
}

}  // namespace egpu::ptx
