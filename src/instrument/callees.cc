#include "instrument/callees.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "instrument/call_graph.h"

namespace egpu::instrument {
namespace {

class Search {
 public:
  explicit Search(const ptx::Module& probes) {
    for (const ptx::Item& item : probes.items)
      if (const auto* function = std::get_if<ptx::Function>(&item); function && function->body)
        bodies_[function->name] = &*function->body;
  }

  Result<void> calls_of(std::string_view name) {
    const auto body = bodies_.find(name);
    return body == bodies_.end() ? Result<void>{} : visit(name, *body->second);
  }

  // Visits what was found until nothing new turns up.
  Result<void> follow() {
    while (!to_visit_.empty()) {
      const std::string_view name = to_visit_.back();
      to_visit_.pop_back();
      EGPU_TRY(calls_of(name));
    }
    return {};
  }

  [[nodiscard]] bool found(std::string_view name) const { return found_.contains(name); }

 private:
  Result<void> visit(std::string_view caller, const ptx::Block& block) {
    for (const ptx::Statement& statement : block.statements) {
      if (const auto* nested = std::get_if<ptx::Block>(&statement)) {
        EGPU_TRY(visit(caller, *nested));
      } else if (const auto* instruction = std::get_if<ptx::Instruction>(&statement);
                 instruction != nullptr && instruction->opcode.base() == "call") {
        EGPU_TRY(add_callee(caller, *instruction));
      }
    }
    return {};
  }

  Result<void> add_callee(std::string_view caller, const ptx::Instruction& call) {
    const auto callee = callee_of(call);
    if (!callee) return internal_error(fmt::format("{} calls through a register", caller));
    if (!bodies_.contains(*callee))
      return internal_error(
          fmt::format("{} calls {}, which the probe module does not define", caller, *callee));
    if (found_.insert(*callee).second) to_visit_.push_back(*callee);
    return {};
  }

  std::unordered_map<std::string_view, const ptx::Block*> bodies_;
  std::unordered_set<std::string_view> found_;
  std::vector<std::string_view> to_visit_;
};

}  // namespace

Result<std::vector<const ptx::Function*>> find_callees(const ptx::Module& probes,
                                                       const std::vector<KernelProbes>& sites) {
  Search search(probes);
  for (const KernelProbes& site : sites)
    for (const auto* functions : {&site.entry, &site.exit})
      for (const std::string& probe : *functions) EGPU_TRY(search.calls_of(probe));
  EGPU_TRY(search.follow());

  std::vector<const ptx::Function*> callees;
  for (const ptx::Item& item : probes.items)
    if (const auto* function = std::get_if<ptx::Function>(&item);
        function != nullptr && search.found(function->name))
      callees.push_back(function);
  return callees;
}

}  // namespace egpu::instrument
