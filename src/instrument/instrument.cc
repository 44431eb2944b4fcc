#include "instrument/instrument.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "instrument/callees.h"
#include "instrument/checks.h"
#include "instrument/twin.h"

namespace egpu::instrument {
namespace {

constexpr std::uint32_t kEntrySite = 0;  // egpu_ctx::site_id of an entry probe

// The probes' variables and what the probes call; probes are inlined, .version, .target and
// .address_size stay the application's.
void append(ptx::Module& module, const ptx::Module& probes,
            const std::vector<const ptx::Function*>& callees) {
  for (const ptx::Item& item : probes.items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    if (std::holds_alternative<ptx::Declaration>(item) ||
        std::find(callees.begin(), callees.end(), function) != callees.end())
      module.items.push_back(item);
  }
}

std::vector<const ptx::Function*> functions_named(const ptx::Module& probes,
                                                  const std::vector<std::string>& names) {
  std::vector<const ptx::Function*> functions;
  for (const std::string& name : names)
    for (const ptx::Item& item : probes.items)
      if (const auto* function = std::get_if<ptx::Function>(&item);
          function != nullptr && function->name == name && function->body)
        functions.push_back(function);
  return functions;
}

}  // namespace

Result<ptx::Module> instrument(const ptx::Module& application, const ptx::Module& probes,
                               const std::vector<EntryProbe>& sites) {
  EGPU_TRY(check_target(application, probes));
  EGPU_TRY(check_probes(probes, sites));
  EGPU_ASSIGN(const std::vector<const ptx::Function*> callees, find_callees(probes, sites));
  EGPU_TRY(check_names(application, probes, callees, sites));

  std::unordered_map<std::string_view, const EntryProbe*> site_of;
  for (const EntryProbe& site : sites) site_of[site.kernel] = &site;

  ptx::Module result;
  result.name = application.name;
  result.adopt(application);
  result.adopt(probes);
  result.items.reserve(application.items.size() + probes.items.size() + sites.size());
  // PTX wants variables and functions declared before they are used.
  bool appended = false;
  for (const ptx::Item& item : application.items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function != nullptr && !appended) {
      append(result, probes, callees);
      appended = true;
    }
    result.items.push_back(item);
    if (function == nullptr || !function->entry || !function->body) continue;
    const auto site = site_of.find(function->name);
    if (site == site_of.end()) continue;
    const EntryProbe& probe = *site->second;
    EGPU_ASSIGN(ptx::Function twin,
                make_twin(result, *function, *function->body,
                          functions_named(probes, probe.functions), probe.kernel_id, kEntrySite));
    result.items.emplace_back(std::move(twin));
  }
  return result;
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
