#include "instrument/twin.h"

#include <string>

#include "abi/probe_table.h"
#include "instrument/inline_probe.h"

namespace egpu::instrument {

Result<ptx::Function> make_twin(ptx::Module& module, const ptx::Function& entry,
                                const ptx::Block& original,
                                const std::vector<const ptx::Function*>& probes,
                                std::uint32_t kernel_id, std::uint32_t site_id) {
  const ProbeArguments arguments{module.intern(std::to_string(kernel_id)),
                                 module.intern(std::to_string(site_id))};
  ptx::Block body;
  body.statements.reserve(probes.size() + original.statements.size());
  for (const ptx::Function* probe : probes) {
    EGPU_ASSIGN(body.statements.emplace_back(), inline_probe(*probe, arguments));
  }
  body.statements.insert(body.statements.end(), original.statements.begin(),
                         original.statements.end());
  return ptx::Function{.specifiers = entry.specifiers,
                       .entry = true,
                       .results = entry.results,
                       .name = module.intern(abi::kInstrumentedPrefix + std::string(entry.name)),
                       .parameters = entry.parameters,
                       .directives = entry.directives,
                       .body = std::move(body)};
}

}  // namespace egpu::instrument
