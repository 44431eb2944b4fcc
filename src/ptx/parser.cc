#include "ptx/parser.h"

#include <fmt/format.h>

#include "ptx/cursor.h"
#include "ptx/operands.h"
#include "ptx/registers.h"

namespace egpu::ptx {
namespace {

constexpr int kDeepestBlock = 64;

class Parser {
 public:
  Parser(std::string_view text_untrusted, std::string_view name) : cursor_(text_untrusted, name) {}

  Result<std::vector<Item>> items() {
    std::vector<Item> result;
    while (cursor_.peek().kind != TokenKind::kEnd) {
      EGPU_ASSIGN(Item item, this->item());
      result.push_back(std::move(item));
    }
    return result;
  }

 private:
  static bool is_space(std::string_view directive) {
    for (const std::string_view space :
         {".reg", ".param", ".shared", ".global", ".const", ".local", ".sreg", ".tex"})
      if (directive == space ||
          (directive.starts_with(space) && directive.substr(space.size()).starts_with("::")))
        return true;
    return false;
  }

  static bool is_linkage(std::string_view directive) {
    return directive == ".extern" || directive == ".visible" || directive == ".weak" ||
           directive == ".common";
  }

  Result<Item> item() {
    if (cursor_.peek().kind != TokenKind::kDirective)
      return cursor_.expected("a directive, a variable or a function");
    const char* const start = cursor_.mark();
    while (is_linkage(cursor_.peek().text)) cursor_.take();
    const Token first = cursor_.peek();
    if (first.is_directive(".entry") || first.is_directive(".func")) return function(start);
    if (first.kind == TokenKind::kDirective && is_space(first.text))
      return statement_declaration(start);
    if (cursor_.mark() != start) return cursor_.expected("a variable or a function");
    return directive();
  }

  // --- Functions ---

  Result<Item> function(const char* start) {
    Function result;
    result.entry = cursor_.take().text == ".entry";
    while (cursor_.peek().kind == TokenKind::kDirective) {  // .attribute(.unified(1, 2))
      if (cursor_.take().is_directive(".attribute") && cursor_.at('('))
        EGPU_TRY(cursor_.skip_group());
    }
    result.specifiers = cursor_.since(start);
    registers_.enter();
    if (cursor_.at('(')) {
      EGPU_ASSIGN(result.results, parameters());
    }
    if (cursor_.peek().kind != TokenKind::kWord) return cursor_.expected("the function's name");
    result.name = cursor_.take().text;
    if (cursor_.at('(')) {
      EGPU_ASSIGN(result.parameters, parameters());
    }
    EGPU_ASSIGN(result.directives, function_directives(result.name));
    if (!cursor_.accept(';')) {
      EGPU_ASSIGN(result.body, block(0));
    }
    registers_.leave();
    return result;
  }

  // .maxntid 256, 1, 1 and the like. A .pragma here has a ';' of its own.
  Result<std::string_view> function_directives(std::string_view function) {
    const char* const start = cursor_.mark();
    while (!cursor_.at('{') && !cursor_.at(';')) {
      if (cursor_.at_end()) return cursor_.expected(fmt::format("the body of {} or ';'", function));
      if (cursor_.take().is_directive(".pragma")) {
        EGPU_TRY(cursor_.skip_to(";", "';' after .pragma"));
        cursor_.take();
      }
    }
    return cursor_.since(start);
  }

  Result<std::vector<Declaration>> parameters() {
    std::vector<Declaration> result;
    cursor_.take();
    if (cursor_.accept(')')) return result;
    do {
      Declaration parameter;
      EGPU_ASSIGN(parameter.specifiers, specifiers(cursor_.mark()));
      EGPU_ASSIGN(Declarator declarator, this->declarator());
      if (parameter.has(".reg")) declare(declarator);
      parameter.declarators.push_back(declarator);
      result.push_back(std::move(parameter));
    } while (cursor_.accept(','));
    if (!cursor_.accept(')')) return cursor_.expected("',' or ')' after a parameter");
    return result;
  }

  // --- Declarations ---

  // Everything before the name, from `start`: directives, the number of .align, the list of
  // .attribute.
  Result<std::string_view> specifiers(const char* start) {
    while (true) {
      const Token& token = cursor_.peek();
      if (token.is('(')) {
        EGPU_TRY(cursor_.skip_group());
      } else if (token.kind == TokenKind::kDirective || token.kind == TokenKind::kNumber) {
        cursor_.take();
      } else {
        return cursor_.since(start);
      }
    }
  }

  Result<Declarator> declarator() {
    Declarator result;
    if (cursor_.peek().kind != TokenKind::kWord) return cursor_.expected("a name to declare");
    result.name = cursor_.take().text;
    if (cursor_.accept('<')) {
      if (cursor_.peek().kind != TokenKind::kNumber)
        return cursor_.expected("the number of registers");
      result.count = cursor_.take().text;
      if (!cursor_.accept('>')) return cursor_.expected("'>'");
    }
    const char* const dimensions = cursor_.mark();
    while (cursor_.at('[')) EGPU_TRY(cursor_.skip_group());
    result.dimensions = cursor_.since(dimensions);
    if (cursor_.accept('=')) {
      const char* const initialiser = cursor_.mark();
      EGPU_TRY(cursor_.skip_to(",;", fmt::format("';' after the value of {}", result.name)));
      result.initialiser = cursor_.since(initialiser);
      if (result.initialiser.empty()) return cursor_.expected("a value");
    }
    return result;
  }

  void declare(const Declarator& declarator) {
    if (declarator.name.starts_with('%')) return;  // known by spelling
    const auto count = integer_value({declarator.count});
    registers_.declare(declarator.name, declarator.count.empty() ? 0 : count.value_or(0));
  }

  Result<Declaration> statement_declaration(const char* start) {
    Declaration result;
    const bool registers = cursor_.peek().is_directive(".reg");
    EGPU_ASSIGN(result.specifiers, specifiers(start));
    do {
      EGPU_ASSIGN(Declarator declarator, this->declarator());
      if (registers) declare(declarator);
      result.declarators.push_back(declarator);
    } while (cursor_.accept(','));
    if (!cursor_.accept(';')) return cursor_.expected("',' or ';' after a declaration");
    return result;
  }

  // --- Directives ---

  // Directives that end without a ';': behind the first argument come numbers and strings, and
  // whatever follows a comma (.target sm_90, debug; .loc 1 2 3, function_name $L__info_string0+4,
  // inlined_at 1 5 6).
  static bool ends_by_itself(std::string_view directive) {
    for (const std::string_view name : {".version", ".target", ".address_size", ".file", ".loc"})
      if (directive == name) return true;
    return false;
  }

  Result<Directive> directive() {
    const char* const start = cursor_.mark();
    const Token name = cursor_.take();
    if (ends_by_itself(name.text)) {
      EGPU_TRY(arguments(name.text));
    } else {
      EGPU_TRY(cursor_.skip_to("{;", fmt::format("';' or '{{' after {}", name.text)));
      if (!cursor_.accept(';')) EGPU_TRY(cursor_.skip_group());
    }
    return Directive{cursor_.since(start)};
  }

  Result<void> arguments(std::string_view directive) {
    const auto is_argument = [this] {
      const Token& token = cursor_.peek();
      return token.kind == TokenKind::kNumber || token.kind == TokenKind::kString ||
             token.kind == TokenKind::kWord;
    };
    if (!is_argument()) return cursor_.expected(fmt::format("an argument of {}", directive));
    cursor_.take();
    while (true) {
      const Token& token = cursor_.peek();
      const bool more = token.kind == TokenKind::kNumber || token.kind == TokenKind::kString;
      if (more) {
        cursor_.take();
      } else if (cursor_.accept(',')) {
        if (!is_argument()) return cursor_.expected("an argument after ','");
        if (cursor_.take().text == "function_name") EGPU_TRY(string_reference());
      } else {
        return {};
      }
    }
  }

  // $L__info_string0 or $L__info_string0+12
  Result<void> string_reference() {
    if (cursor_.peek().kind != TokenKind::kWord) return cursor_.expected("the label of a name");
    cursor_.take();
    if (cursor_.accept('+')) {
      if (cursor_.peek().kind != TokenKind::kNumber) return cursor_.expected("an offset");
      cursor_.take();
    }
    return {};
  }

  // --- Statements ---

  Result<Block> block(int depth) {
    if (depth > kDeepestBlock)
      return cursor_.error(fmt::format("blocks nested more than {} deep", kDeepestBlock));
    Block result;
    cursor_.take();
    registers_.enter();
    while (!cursor_.at('}')) {
      EGPU_ASSIGN(Statement statement, this->statement(depth));
      result.statements.push_back(std::move(statement));
    }
    cursor_.take();
    registers_.leave();
    return result;
  }

  Result<Statement> statement(int depth) {
    const Token& token = cursor_.peek();
    if (token.is('{')) {
      EGPU_ASSIGN(Block nested, block(depth + 1));
      return nested;
    }
    if (token.kind == TokenKind::kDirective) {
      if (is_space(token.text) || is_linkage(token.text)) return function_declaration();
      EGPU_ASSIGN(Directive directive, this->directive());
      return directive;
    }
    if (token.kind == TokenKind::kWord && cursor_.peek_second().is(':')) {
      const Label label{cursor_.take().text};
      cursor_.take();
      return label;
    }
    if (token.kind == TokenKind::kWord || token.is('@')) return instruction();
    return cursor_.expected("an instruction, a declaration, a label or '}'");
  }

  Result<Statement> function_declaration() {
    const char* const start = cursor_.mark();
    while (is_linkage(cursor_.peek().text)) cursor_.take();
    EGPU_ASSIGN(Declaration declaration, statement_declaration(start));
    return declaration;
  }

  Result<Statement> instruction() {
    Instruction result;
    if (cursor_.accept('@')) {
      result.guard.negated = cursor_.accept('!');
      if (cursor_.peek().kind != TokenKind::kWord) return cursor_.expected("a predicate after '@'");
      result.guard.name = cursor_.take().text;
    }
    if (cursor_.peek().kind != TokenKind::kWord) return cursor_.expected("an instruction");
    result.opcode.text = cursor_.take().text;
    EGPU_ASSIGN(result.operands, parse_operands(cursor_, registers_, result.opcode));
    cursor_.take();
    return result;
  }

  Cursor cursor_;
  RegisterScopes registers_;
};

}  // namespace

Result<Module> parse(std::string_view text_untrusted, std::string name) {
  Module module;
  module.name = std::move(name);
  const std::string_view text = module.intern(std::string(text_untrusted));
  EGPU_ASSIGN(module.items, Parser(text, module.name).items());
  return module;
}

}  // namespace egpu::ptx
