#include "emu/labels.h"

#include <fmt/format.h>

#include "emu/control.h"
#include "ptx/lexer.h"

namespace egpu::emu {
namespace {

// .branchtargets L0, L1;
Labels::List labels_of(const ptx::Directive& directive) {
  Labels::List labels;
  ptx::Lexer lexer(directive.text);
  lexer.next();
  for (ptx::Token token = lexer.next(); token.kind != ptx::TokenKind::kEnd; token = lexer.next())
    if (token.kind == ptx::TokenKind::kWord) labels.push_back(token.text);
  return labels;
}

}  // namespace

Labels::Labels(FunctionBuilder& builder, const ptx::Function& function) : builder_(builder) {
  find_targets(*function.body);  // NOLINT(bugprone-unchecked-optional-access): it is translated
}

void Labels::find_targets(const ptx::Block& block) {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* nested = std::get_if<ptx::Block>(&statement)) {
      find_targets(*nested);
    } else if (const auto* directive = std::get_if<ptx::Directive>(&statement)) {
      if (directive->name() != ".branchtargets") continue;
      for (const std::string_view label : labels_of(*directive)) named_.insert(label);
    } else if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) {
      for (const ptx::Operand& operand : instruction->operands)
        if (const auto* label = std::get_if<ptx::LabelName>(&operand)) named_.insert(label->name);
    }
  }
}

void Labels::enter(const ptx::Block& block) {
  Scope& scope = scopes_.emplace_back();
  std::string_view last_label;
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* label = std::get_if<ptx::Label>(&statement)) {
      scope.targets.try_emplace(label->name);
      last_label = label->name;
      continue;
    }
    const auto* const directive = std::get_if<ptx::Directive>(&statement);
    if (directive != nullptr && directive->name() == ".branchtargets")
      scope.lists[last_label] = labels_of(*directive);
  }
}

void Labels::set(const Jump& jump, std::size_t position) {
  const auto distance = static_cast<std::int64_t>(position) - static_cast<std::int64_t>(jump.from);
  (jump.distance != nullptr ? *jump.distance : builder_.code().ops[jump.from].immediate) = distance;
}

Result<void> Labels::place(std::string_view name) {
  Target& target = scopes_.back().targets[name];
  if (target.position != Target::kUnknown)
    return input_error(fmt::format("label {} stands twice", name))
        .at(builder_.context().module.place(name));
  target.position = builder_.position();
  for (const Jump& jump : target.waiting) set(jump, target.position);
  if (named_.contains(name)) builder_.emit_always({.handler = reach_label});
  return {};
}

Result<void> Labels::aim(std::string_view name, std::size_t from, std::int64_t* distance) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->targets.find(name);
    if (found == scope->targets.end()) continue;
    const Jump jump{from, distance};
    if (found->second.position == Target::kUnknown) {
      found->second.waiting.push_back(jump);
    } else {
      set(jump, found->second.position);
    }
    return {};
  }
  return builder_.error(fmt::format("there is no label {}", name));
}

const Labels::List* Labels::list(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->lists.find(name); found != scope->lists.end())
      return &found->second;
  return nullptr;
}

}  // namespace egpu::emu
