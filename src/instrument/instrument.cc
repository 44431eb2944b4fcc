#include "instrument/instrument.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "instrument/call_graph.h"
#include "instrument/callees.h"
#include "instrument/checks.h"
#include "instrument/twin.h"

namespace egpu::instrument {
namespace {

using FunctionsByName = std::unordered_map<std::string_view, const ptx::Function*>;

FunctionsByName defined_functions(const ptx::Module& module) {
  FunctionsByName functions;
  for (const ptx::Item& item : module.items)
    if (const auto* function = std::get_if<ptx::Function>(&item);
        function != nullptr && function->body)
      functions[function->name] = function;
  return functions;
}

// Builds the new module item by item. PTX wants variables and functions declared before they are
// used: what probes need comes before the first function, twins of functions are declared before
// the twin of the kernel that calls them and defined behind the last function, where all that
// they use is declared.
class Instrumenter {
 public:
  Instrumenter(const ptx::Module& application, const ptx::Module& probes,
               const std::vector<const ptx::Function*>& callees,
               const std::vector<KernelProbes>& sites)
      : application_(application),
        probes_(probes),
        callees_(callees),
        graph_(application),
        probe_functions_(defined_functions(probes)) {
    for (const KernelProbes& site : sites) site_of_[site.kernel] = &site;
    result_.name = application.name;
    result_.adopt(application);
    result_.adopt(probes);
    result_.items.reserve(application.items.size() + probes.items.size() + sites.size());
  }

  Result<ptx::Module> run() {
    const auto is_function = [](const ptx::Item& item) {
      return std::holds_alternative<ptx::Function>(item);
    };
    const auto& items = application_.items;
    const auto first = std::ranges::find_if(items, is_function);
    const auto end = std::find_if(items.rbegin(), items.rend(), is_function).base();
    result_.items.insert(result_.items.end(), items.begin(), first);
    if (first != items.end()) add_probe_items();
    for (auto item = first; item < end; ++item) {
      result_.items.push_back(*item);
      if (const auto* function = std::get_if<ptx::Function>(&*item)) EGPU_TRY(add_twin(*function));
    }
    std::ranges::move(function_twins_, std::back_inserter(result_.items));
    result_.items.insert(result_.items.end(), end, items.end());
    return std::move(result_);
  }

 private:
  // The probes' variables and what the probes call; probes are inlined, .version, .target and
  // .address_size stay the application's.
  void add_probe_items() {
    for (const ptx::Item& item : probes_.items) {
      const auto* function = std::get_if<ptx::Function>(&item);
      if (std::holds_alternative<ptx::Declaration>(item) ||
          std::ranges::find(callees_, function) != callees_.end())
        result_.items.push_back(item);
    }
  }

  Result<void> add_twin(const ptx::Function& function) {
    const auto site = site_of_.find(function.name);
    if (!function.entry || !function.body || site == site_of_.end()) return {};
    const KernelProbes& wanted = *site->second;
    TwinProbes probes{.kernel_id = wanted.kernel_id,
                      .entry = functions_named(wanted.entry),
                      .exit = functions_named(wanted.exit),
                      .twin_of = {}};
    std::vector<const ptx::Function*> ending;
    if (!probes.exit.empty()) {
      EGPU_ASSIGN(ending, graph_.functions_that_end_threads(function));
    }
    for (const ptx::Function* callee : ending) {
      const std::string_view name = function_twin_name(result_, *callee, wanted.kernel_id);
      for (const std::string_view own : graph_.names_of(*callee)) probes.twin_of[own] = name;
    }

    std::uint32_t exit_site = 1;
    EGPU_ASSIGN(ptx::Function twin, make_twin(result_, function, probes, exit_site));
    for (const ptx::Function* callee : ending) {
      EGPU_ASSIGN(ptx::Function callee_twin,
                  make_function_twin(result_, *callee, probes, exit_site));
      ptx::Function& declaration = std::get<ptx::Function>(result_.items.emplace_back(callee_twin));
      declaration.body.reset();
      function_twins_.emplace_back(std::move(callee_twin));
    }
    result_.items.emplace_back(std::move(twin));
    return {};
  }

  [[nodiscard]] std::vector<const ptx::Function*> functions_named(
      const std::vector<std::string>& names) const {
    std::vector<const ptx::Function*> functions;
    functions.reserve(names.size());
    for (const std::string& name : names) functions.push_back(probe_functions_.at(name));
    return functions;
  }

  const ptx::Module& application_;
  const ptx::Module& probes_;
  const std::vector<const ptx::Function*>& callees_;
  const CallGraph graph_;
  const FunctionsByName probe_functions_;
  std::unordered_map<std::string_view, const KernelProbes*> site_of_;
  ptx::Module result_;
  std::vector<ptx::Item> function_twins_;
};

}  // namespace

std::optional<Error> exit_obstacle(const ptx::Module& application, const ptx::Function& kernel) {
  auto functions = CallGraph(application).functions_that_end_threads(kernel);
  if (functions) return std::nullopt;
  return std::move(functions).error();
}

Result<ptx::Module> instrument(const ptx::Module& application, const ptx::Module& probes,
                               const std::vector<KernelProbes>& sites) {
  EGPU_TRY(check_target(application, probes));
  EGPU_TRY(check_probes(probes, sites));
  EGPU_ASSIGN(const std::vector<const ptx::Function*> callees, find_callees(probes, sites));
  EGPU_TRY(check_names(application, probes, callees, sites));
  return Instrumenter(application, probes, callees, sites).run();
}

std::optional<std::uint64_t> constant_bytes(const ptx::Module& application) {
  std::uint64_t total = 0;
  for (const ptx::Item& item : application.items) {
    const auto* declaration = std::get_if<ptx::Declaration>(&item);
    if (declaration == nullptr || !declaration->has(".const")) continue;
    for (const ptx::Declarator& declarator : declaration->declarators) {
      const auto bytes = declaration->bytes(declarator);
      if (!bytes) return std::nullopt;
      // Without .align a variable is aligned to its element, at most 16 bytes for the widest
      // vector.
      constexpr std::uint64_t kLargestNaturalAlignment = 16;
      const std::uint64_t alignment = declaration->alignment().value_or(kLargestNaturalAlignment);
      if (alignment == 0 || __builtin_add_overflow(total, alignment - 1, &total))
        return std::nullopt;
      total -= total % alignment;
      if (__builtin_add_overflow(total, *bytes, &total)) return std::nullopt;
    }
  }
  return total;
}

}  // namespace egpu::instrument
