#include "emu/reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "emu/layout.h"
#include "ptx/lexer.h"

namespace egpu::emu {
namespace {

constexpr std::uint64_t kMostShared = std::uint64_t{1} << 24;  // beyond any device
constexpr std::uint64_t kDynamicAlignment = 16;  // of shared memory that a launch adds

class Walk {
 public:
  Walk(const Symbols& symbols, const ptx::Module& module) : symbols_(symbols), module_(module) {}

  Result<Reach> run(const ptx::Function& kernel) {
    add(kernel);
    // The list grows while it is walked.
    for (std::size_t i = 0; i < reach_.functions.size(); ++i)
      // NOLINTNEXTLINE(bugprone-unchecked-optional-access): add() takes none without a body
      EGPU_TRY(walk(*reach_.functions[i]->body));
    std::uint64_t end = end_;
    std::uint64_t alignment = kDynamicAlignment;
    for (const auto& [declaration, declarator] : dynamic_)
      alignment = std::max(alignment, alignment_of(*declaration).value_or(1));
    if (!dynamic_.empty()) end = round_up(end, alignment);
    for (const auto& [declaration, declarator] : dynamic_)
      reach_.shared[declarator] = static_cast<std::uint32_t>(end);
    reach_.static_shared_bytes = static_cast<std::uint32_t>(end);
    return std::move(reach_);
  }

 private:
  void add(const ptx::Function& function) {
    if (function.entry && !reach_.functions.empty()) return;  // nobody calls a kernel
    if (function.body && seen_.insert(&function).second) reach_.functions.push_back(&function);
  }

  Result<void> walk(const ptx::Block& block) {
    for (const ptx::Statement& statement : block.statements) {
      if (const auto* nested = std::get_if<ptx::Block>(&statement)) {
        EGPU_TRY(walk(*nested));
      } else if (const auto* declaration = std::get_if<ptx::Declaration>(&statement)) {
        if (!declaration->has(".shared")) continue;
        for (const ptx::Declarator& declarator : declaration->declarators)
          EGPU_TRY(place(*declaration, declarator));
      } else if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) {
        for (const ptx::Operand& operand : instruction->operands) EGPU_TRY(use(operand));
        if (instruction->opcode.base() == "call") add_pointees(*instruction);
      }
    }
    return {};
  }

  Result<void> use(const ptx::Operand& operand) {
    if (const auto* symbol = std::get_if<ptx::Symbol>(&operand)) return use(symbol->name);
    if (const auto* raw = std::get_if<ptx::RawOperand>(&operand))  // variable+8
      return use(ptx::Lexer(raw->text).next().text);
    const auto* const address = std::get_if<ptx::Address>(&operand);
    const auto* const vector = std::get_if<ptx::Vector>(&operand);
    const auto* const list = std::get_if<ptx::ParameterList>(&operand);
    const auto* const parts = address != nullptr  ? &address->parts
                              : vector != nullptr ? &vector->elements
                              : list != nullptr   ? &list->elements
                                                  : nullptr;
    if (parts == nullptr) return {};
    for (const ptx::Operand& part : *parts) EGPU_TRY(use(part));
    return {};
  }

  // A function's own variables may hide the module's; then a bit of memory too much is counted.
  Result<void> use(std::string_view name) {
    const auto function = symbols_.functions.find(name);
    if (function != symbols_.functions.end()) add(*function->second.function);
    const auto variable = symbols_.variables.find(name);
    if (variable == symbols_.variables.end() || variable->second.space != SymbolSpace::kShared)
      return {};
    return place(*variable->second.declaration, *variable->second.declarator);
  }

  // A call through a pointer may end in any function whose address the module takes.
  void add_pointees(const ptx::Instruction& call) {
    if (pointees_added_ || call.operands.empty()) return;
    const bool through_pointer = std::ranges::any_of(
        call.operands,
        [](const ptx::Operand& operand) { return std::holds_alternative<ptx::Register>(operand); });
    if (!through_pointer) return;
    pointees_added_ = true;
    for (const ptx::Item& item : module_.items) {
      if (const auto* function = std::get_if<ptx::Function>(&item); function && function->body)
        add_named(*function->body);
      if (const auto* declaration = std::get_if<ptx::Declaration>(&item))
        for (const ptx::Declarator& declarator : declaration->declarators)
          add_named(declarator.initialiser);
    }
  }

  void add_named(const ptx::Block& block) {
    for (const ptx::Statement& statement : block.statements) {
      if (const auto* nested = std::get_if<ptx::Block>(&statement)) add_named(*nested);
      const auto* const instruction = std::get_if<ptx::Instruction>(&statement);
      if (instruction == nullptr || instruction->opcode.base() == "call") continue;
      for (const ptx::Operand& operand : instruction->operands)
        if (const auto* symbol = std::get_if<ptx::Symbol>(&operand)) add_function(symbol->name);
    }
  }

  void add_named(std::string_view initialiser) {
    ptx::Lexer lexer(initialiser);
    for (ptx::Token token = lexer.next(); token.kind != ptx::TokenKind::kEnd; token = lexer.next())
      if (token.kind == ptx::TokenKind::kWord) add_function(token.text);
  }

  void add_function(std::string_view name) {
    const auto function = symbols_.functions.find(name);
    if (function != symbols_.functions.end()) add(*function->second.function);
  }

  Result<void> place(const ptx::Declaration& declaration, const ptx::Declarator& declarator) {
    if (reach_.shared.contains(&declarator)) return {};
    if (declaration.has(".extern") && declarator.dimensions == "[]") {
      reach_.shared.emplace(&declarator, 0);
      dynamic_.emplace_back(&declaration, &declarator);
      return {};
    }
    const auto extent = extent_of(declaration, declarator);
    if (!extent || end_ + extent->bytes > kMostShared)
      return input_error(fmt::format("shared variable {} is too large, or its size is not known",
                                     declarator.name))
          .at(module_.place(declarator.name));
    end_ = round_up(end_, extent->alignment);
    reach_.shared.emplace(&declarator, static_cast<std::uint32_t>(end_));
    end_ += extent->bytes;
    return {};
  }

  const Symbols& symbols_;
  const ptx::Module& module_;
  Reach reach_;
  std::set<const ptx::Function*> seen_;
  std::vector<std::pair<const ptx::Declaration*, const ptx::Declarator*>> dynamic_;
  std::uint64_t end_ = 0;
  bool pointees_added_ = false;
};

}  // namespace

Result<Reach> reach_of(const ptx::Function& kernel, const Symbols& symbols,
                       const ptx::Module& module) {
  return Walk(symbols, module).run(kernel);
}

}  // namespace egpu::emu
