// Which functions of a module call which, and in which of them a thread may end.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "ptx/ast.h"

namespace egpu::instrument {

// What a call names; nothing where it calls through a register.
std::optional<std::string_view> callee_of(const ptx::Instruction& call);

// Whether a thread that executes the instruction ends with it, in whatever function that is.
bool ends_thread(const ptx::Instruction& instruction);

// Refers to the module it was made of.
class CallGraph {
 public:
  explicit CallGraph(const ptx::Module& application);

  // In source order, the functions that a thread of the kernel may call, directly or through
  // others, and end in. Fails where a call through a register may lead to such a function: which
  // one cannot be told, so not all ends of threads would be seen.
  [[nodiscard]] Result<std::vector<const ptx::Function*>> functions_that_end_threads(
      const ptx::Function& kernel) const;

  // Its name and its aliases.
  [[nodiscard]] std::vector<std::string_view> names_of(const ptx::Function& function) const;

 private:
  struct Node {
    const ptx::Function* function = nullptr;
    std::vector<std::string_view> callees;
    bool calls_any = false;  // through a register
    bool ends = false;       // itself or in a callee
  };

  void add(const ptx::Function& function);
  void visit(const ptx::Block& block, Node& node);
  void add_addresses(std::string_view text);
  void spread_ends();
  [[nodiscard]] const Node* node(std::string_view name) const;
  [[nodiscard]] std::unordered_set<const Node*> reached_from(const Node& kernel) const;

  std::vector<Node> nodes_;  // in source order
  std::unordered_map<std::string_view, std::size_t> index_;
  std::unordered_map<std::string_view, std::string_view> aliases_;
  std::unordered_set<std::string_view> address_taken_;
};

}  // namespace egpu::instrument
