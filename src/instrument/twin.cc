#include "instrument/twin.h"

#include <fmt/format.h>

#include <string>

#include "abi/probe_table.h"
#include "instrument/inline_probe.h"
#include "instrument/probe_exits.h"

namespace egpu::instrument {
namespace {

constexpr std::string_view kEntrySite = "0";

void redirect_calls(ptx::Block& block, const TwinProbes& probes) {
  for (ptx::Statement& statement : block.statements) {
    if (auto* const nested = std::get_if<ptx::Block>(&statement)) redirect_calls(*nested, probes);
    auto* const instruction = std::get_if<ptx::Instruction>(&statement);
    if (instruction == nullptr || instruction->opcode.base() != "call") continue;
    for (ptx::Operand& operand : instruction->operands)
      if (auto* const symbol = std::get_if<ptx::Symbol>(&operand))
        if (const auto twin = probes.twin_of.find(symbol->name); twin != probes.twin_of.end())
          symbol->name = twin->second;
  }
}

Result<ptx::Block> with_exit_probes(ptx::Module& module, const ptx::Function& function,
                                    const TwinProbes& probes, std::uint32_t& site) {
  if (!function.body) return internal_error(fmt::format("{} has no body", function.name));
  if (probes.exit.empty()) return *function.body;
  EGPU_ASSIGN(ptx::Block body,
              probe_exits(module, function, {probes.exit, probes.kernel_id}, site));
  redirect_calls(body, probes);
  return body;
}

// Without .visible or .weak: the twin is called in this module alone.
std::string_view without_linkage(std::string_view specifiers) {
  return specifiers.substr(specifiers.find(".func"));
}

}  // namespace

Result<ptx::Function> make_twin(ptx::Module& module, const ptx::Function& kernel,
                                const TwinProbes& probes, std::uint32_t& site) {
  ptx::Function twin = kernel;
  twin.name = module.intern(abi::kInstrumentedPrefix + std::string(kernel.name));
  EGPU_ASSIGN(ptx::Block original, with_exit_probes(module, kernel, probes, site));
  ptx::Block body;
  body.statements.reserve(probes.entry.size() + original.statements.size());
  const ProbeArguments arguments{module.intern(std::to_string(probes.kernel_id)), kEntrySite};
  for (const ptx::Function* probe : probes.entry) {
    EGPU_ASSIGN(body.statements.emplace_back(), inline_probe(*probe, arguments));
  }
  for (ptx::Statement& statement : original.statements)
    body.statements.push_back(std::move(statement));
  twin.body = std::move(body);
  return twin;
}

Result<ptx::Function> make_function_twin(ptx::Module& module, const ptx::Function& function,
                                         const TwinProbes& probes, std::uint32_t& site) {
  ptx::Function twin = function;
  twin.specifiers = without_linkage(function.specifiers);
  twin.name = probes.twin_of.at(function.name);
  EGPU_ASSIGN(twin.body, with_exit_probes(module, function, probes, site));
  return twin;
}

std::string_view function_twin_name(ptx::Module& module, const ptx::Function& function,
                                    std::uint32_t kernel_id) {
  return module.intern(fmt::format("{}{}_{}", abi::kInstrumentedPrefix, kernel_id, function.name));
}

}  // namespace egpu::instrument
