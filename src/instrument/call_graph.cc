#include "instrument/call_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/lexer.h"

namespace egpu::instrument {

std::optional<std::string_view> callee_of(const ptx::Instruction& call) {
  // call (result), callee, (arguments), prototype; all but the callee may be missing.
  for (const ptx::Operand& operand : call.operands) {
    if (std::holds_alternative<ptx::ParameterList>(operand)) continue;
    const auto* symbol = std::get_if<ptx::Symbol>(&operand);
    return symbol != nullptr ? std::optional(symbol->name) : std::nullopt;
  }
  return std::nullopt;
}

bool ends_thread(const ptx::Instruction& instruction) {
  const std::string_view base = instruction.opcode.base();
  return base == "exit" || base == "trap";
}

CallGraph::CallGraph(const ptx::Module& application) {
  for (const ptx::Item& item : application.items) {
    if (const auto* function = std::get_if<ptx::Function>(&item)) {
      add(*function);
    } else if (const auto* declaration = std::get_if<ptx::Declaration>(&item)) {
      for (const ptx::Declarator& declarator : declaration->declarators)
        add_addresses(declarator.initialiser);
    } else if (const auto* directive = std::get_if<ptx::Directive>(&item);
               directive != nullptr && directive->name() == ".alias") {
      ptx::Lexer lexer(directive->text);
      lexer.next();
      const std::string_view alias = lexer.next().text;
      lexer.next();
      aliases_[alias] = lexer.next().text;
    }
  }
  spread_ends();
}

std::vector<std::string_view> CallGraph::names_of(const ptx::Function& function) const {
  std::vector<std::string_view> names{function.name};
  for (const auto& [alias, original] : aliases_)
    if (original == function.name) names.push_back(alias);
  return names;
}

void CallGraph::add(const ptx::Function& function) {
  if (!function.body) return;
  index_[function.name] = nodes_.size();
  nodes_.push_back({.function = &function, .callees = {}});
  visit(*function.body, nodes_.back());
}

void CallGraph::visit(const ptx::Block& block, Node& node) {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* nested = std::get_if<ptx::Block>(&statement)) visit(*nested, node);
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (instruction == nullptr) continue;
    node.ends = node.ends || ends_thread(*instruction);
    if (instruction->opcode.base() == "call") {
      const auto callee = callee_of(*instruction);
      if (callee)
        node.callees.push_back(*callee);
      else
        node.calls_any = true;
      continue;
    }
    for (const ptx::Operand& operand : instruction->operands) {
      if (const auto* symbol = std::get_if<ptx::Symbol>(&operand))
        address_taken_.insert(symbol->name);
      if (const auto* raw = std::get_if<ptx::RawOperand>(&operand)) add_addresses(raw->text);
    }
  }
}

// Every word of it: an initialiser names functions among other things.
void CallGraph::add_addresses(std::string_view text) {
  ptx::Lexer lexer(text);
  for (ptx::Token token = lexer.next(); token.kind != ptx::TokenKind::kEnd; token = lexer.next())
    if (token.kind == ptx::TokenKind::kWord) address_taken_.insert(token.text);
}

// From callees to callers, until nothing changes.
void CallGraph::spread_ends() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Node& caller : nodes_) {
      if (caller.ends) continue;
      caller.ends = std::ranges::any_of(caller.callees, [this](std::string_view callee) {
        const Node* const called = node(callee);
        return called != nullptr && called->ends;
      });
      changed = changed || caller.ends;
    }
  }
}

const CallGraph::Node* CallGraph::node(std::string_view name) const {
  if (const auto alias = aliases_.find(name); alias != aliases_.end()) name = alias->second;
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &nodes_[found->second];
}

std::unordered_set<const CallGraph::Node*> CallGraph::reached_from(const Node& kernel) const {
  std::unordered_set<const Node*> reached{&kernel};
  std::vector<const Node*> to_visit{&kernel};
  while (!to_visit.empty()) {
    const Node* const caller = to_visit.back();
    to_visit.pop_back();
    for (const std::string_view callee : caller->callees)
      if (const Node* const called = node(callee);
          called != nullptr && reached.insert(called).second)
        to_visit.push_back(called);
  }
  return reached;
}

Result<std::vector<const ptx::Function*>> CallGraph::functions_that_end_threads(
    const ptx::Function& kernel) const {
  std::vector<const ptx::Function*> functions;
  const Node* const start = node(kernel.name);
  if (start == nullptr) return functions;
  const auto reached = reached_from(*start);
  for (const Node& callee : nodes_)
    if (&callee != start && callee.ends && reached.contains(&callee))
      functions.push_back(callee.function);

  if (std::ranges::none_of(reached, &Node::calls_any)) return functions;
  for (const Node& callee : nodes_)
    if (callee.ends && address_taken_.contains(callee.function->name))
      return input_error(
                 fmt::format("it calls through a pointer and may reach {}, in which threads end",
                             callee.function->name))
          .hint("probe its entry alone, or call that function by name");
  return functions;
}

}  // namespace egpu::instrument
