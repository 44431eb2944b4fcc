#include "instrument/checks.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_set>

#include "abi/probe_table.h"

namespace egpu::instrument {
namespace {

using NameSet = std::unordered_set<std::string_view>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string to_string(const ptx::Version& version) {
  return fmt::format("{}.{}", version.major, version.minor);
}

bool is_header(const ptx::Directive& directive) {
  const std::string_view name = directive.name();
  return name == ".version" || name == ".target" || name == ".address_size";
}

void add_variables(const ptx::Module& module, NameSet& names) {
  for (const ptx::Item& item : module.items)
    if (const auto* declaration = std::get_if<ptx::Declaration>(&item))
      for (const ptx::Declarator& declarator : declaration->declarators)
        names.insert(declarator.name);
}

// The names a module declares for all its functions.
NameSet module_names(const ptx::Module& module) {
  NameSet names;
  add_variables(module, names);
  for (const ptx::Item& item : module.items)
    if (const auto* function = std::get_if<ptx::Function>(&item)) names.insert(function->name);
  return names;
}

Error taken(const ptx::Module& application, std::string_view name) {
  return input_error(fmt::format("the module already defines {}, a name reserved for egpu", name))
      .at(application.name)
      .hint("rename it, or check that the module was not instrumented before");
}

bool has_probe_signature(const ptx::Function& function) {
  const auto is_word = [](const ptx::Declaration& parameter) {
    return parameter.has(".param") && parameter.type() == ".b32" &&
           parameter.declarators.front().dimensions.empty();
  };
  return !function.entry && function.body && (!function.results || function.results->empty()) &&
         function.parameters && function.parameters->size() == 2 &&
         is_word(function.parameters->front()) && is_word(function.parameters->back());
}

}  // namespace

Result<void> check_target(const ptx::Module& application, const ptx::Module& probes) {
  const auto target = application.target();
  const auto version = application.version();
  if (!target || !version)
    return input_error("the module does not say its .version and its .target sm_NN")
        .at(application.name)
        .hint("pass PTX as the compiler wrote it");
  if (target->architecture < kOldestArchitecture)
    return input_error(fmt::format("the module is for sm_{}, probes need sm_{} or later",
                                   target->architecture, kOldestArchitecture))
        .at(application.name)
        .hint(fmt::format("compile the application for sm_{} or later", kOldestArchitecture));
  if (application.address_size() != 64u)
    return input_error("the module does not use 64-bit addresses")
        .at(application.name)
        .hint("compile the application for 64 bits (.address_size 64)");

  const auto probe_target = probes.target();
  const auto probe_version = probes.version();
  if (!probe_target || !probe_version)
    return internal_error("the probe module does not say its .version and .target");
  if (!probe_target->suffix.empty() || probe_target->architecture > target->architecture)
    return internal_error(fmt::format("probes for sm_{}{} cannot go into a module for sm_{}",
                                      probe_target->architecture, probe_target->suffix,
                                      target->architecture));
  if (*probe_version > *version)
    return input_error(fmt::format("the module is PTX {}, the probes need PTX {}",
                                   to_string(*version), to_string(*probe_version)))
        .at(application.name)
        .hint("compile the application with a newer CUDA toolkit");
  return {};
}

Result<void> check_probes(const ptx::Module& probes, const std::vector<KernelProbes>& sites) {
  NameSet callable;
  for (const ptx::Item& item : probes.items) {
    const auto* directive = std::get_if<ptx::Directive>(&item);
    if (directive != nullptr && !is_header(*directive))
      return internal_error(fmt::format("the probe module has a {}", directive->name()));
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function == nullptr) continue;
    if (function->entry)
      return internal_error(fmt::format("the probe module has an entry, {}", function->name));
    if (has_probe_signature(*function)) callable.insert(function->name);
  }
  for (const KernelProbes& site : sites)
    for (const auto* functions : {&site.entry, &site.exit})
      for (const std::string& function : *functions)
        if (!callable.contains(function))
          return internal_error(fmt::format(
              "the probe module defines no function {} with two .b32 parameters", function));
  return {};
}

Result<void> check_names(const ptx::Module& application, const ptx::Module& probes,
                         const std::vector<const ptx::Function*>& callees,
                         const std::vector<KernelProbes>& sites) {
  const NameSet application_names = module_names(application);
  NameSet probe_names;  // the probes themselves are inlined and need none
  add_variables(probes, probe_names);
  for (const ptx::Function* callee : callees) probe_names.insert(callee->name);
  for (const std::string_view name : probe_names)
    if (application_names.contains(name)) return taken(application, name);

  const std::string_view prefix = abi::kInstrumentedPrefix;
  for (const std::string_view name : application_names)  // as twins of functions have
    if (name.starts_with(prefix) && name.size() > prefix.size() && is_digit(name[prefix.size()]))
      return taken(application, name);

  NameSet kernels;
  for (const ptx::Function* entry : application.entries()) kernels.insert(entry->name);
  NameSet seen;
  for (const KernelProbes& site : sites) {
    if (!kernels.contains(site.kernel))
      return input_error(fmt::format("the module has no kernel {}", site.kernel))
          .at(application.name)
          .hint("egpu inspect lists the kernels of a program");
    if (site.kernel.starts_with('%'))  // a prefix would make two words of it
      return input_error(
                 fmt::format("kernel {} cannot have a twin: its name begins with %", site.kernel))
          .at(application.name)
          .hint("rename the kernel");
    if (!seen.insert(site.kernel).second)
      return internal_error(fmt::format("kernel {} is listed twice", site.kernel));
    const std::string twin = abi::kInstrumentedPrefix + site.kernel;
    if (application_names.contains(twin)) return taken(application, twin);
    if (probe_names.contains(twin))
      return internal_error(fmt::format("the probe module defines {}", twin));
  }
  return {};
}

}  // namespace egpu::instrument
