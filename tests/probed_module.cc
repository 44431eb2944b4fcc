#include "probed_module.h"

#include <algorithm>
#include <cstring>

#include "abi/probe_table.h"
#include "abi/snapshot.h"
#include "bpf/map_spec.h"
#include "codegen/generate.h"
#include "instrument/instrument.h"
#include "ptx/parser.h"
#include "ptx/printer.h"

namespace egpu {
namespace {

// A device address is that of the same byte in this process (emu/memory.h).
std::byte* at(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

Result<std::span<std::byte>> make_map(const bpf::MapDefinition& definition, emu::Memory& memory,
                                      std::uint32_t shards) {
  const std::uint64_t bytes = abi::map_bytes(bpf::map_spec(definition), shards);
  const std::uint64_t address = memory.allocate(bytes);
  if (address == 0) return input_error("no memory for the map " + definition.name);
  std::ranges::copy(definition.initial, at(address));
  return std::span(at(address), bytes);
}

Result<void> fill_table(const emu::Module& module, std::span<const std::span<std::byte>> maps,
                        std::uint32_t shards) {
  const emu::Variable* const table = module.variable(abi::kProbeTableSymbol);
  if (table == nullptr || table->bytes != abi::probe_table_bytes(maps.size()))
    return internal_error("the probed module has no probe table, or one of another size");
  const abi::ProbeTableHeader header{.shards = shards, .process_id = 1, .command = "test"};
  std::memcpy(at(table->address), &header, sizeof(header));
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto address = reinterpret_cast<std::uint64_t>(maps[i].data());
    std::memcpy(at(table->address) + abi::probe_table_bytes(i), &address, sizeof(address));
  }
  return {};
}

}  // namespace

Result<std::string> add_probes(std::string_view application, std::string_view probes,
                               const bpf::Object& object) {
  EGPU_ASSIGN(const auto parsed, ptx::parse(application, "application.ptx"));
  EGPU_ASSIGN(const auto parsed_probes, ptx::parse(probes, "probes.ptx"));
  instrument::KernelProbes probe{.kernel = {}, .kernel_id = 0, .entry = {}};
  for (std::size_t i = 0; i < object.programs.size(); ++i) {
    const bool at_entry = object.programs[i].attach.event == bpf::AttachEvent::kEntry;
    (at_entry ? probe.entry : probe.exit).push_back(codegen::probe_function_name(i));
  }
  std::vector<instrument::KernelProbes> sites;
  for (const ptx::Function* const entry : parsed.entries()) {
    probe.kernel = entry->name;
    probe.kernel_id = static_cast<std::uint32_t>(sites.size());
    sites.push_back(probe);
  }
  EGPU_ASSIGN(const auto instrumented, instrument::instrument(parsed, parsed_probes, sites));
  return ptx::print(instrumented);
}

Result<ProbedModule> ProbedModule::load(std::string_view ptx, const bpf::Object& object,
                                        emu::Memory& memory, std::uint32_t shards) {
  EGPU_ASSIGN(const auto parsed, ptx::parse(ptx, "instrumented.ptx"));
  ProbedModule probed;
  EGPU_ASSIGN(probed.module_, emu::Module::load(parsed, memory));
  for (const bpf::MapDefinition& definition : object.maps) {
    EGPU_ASSIGN(probed.maps_.emplace_back(), make_map(definition, memory, shards));
  }
  EGPU_TRY(fill_table(*probed.module_, probed.maps_, shards));
  return probed;
}

Result<const emu::Kernel*> ProbedModule::kernel(std::string_view name) const {
  return module_->kernel(std::string(abi::kInstrumentedPrefix).append(name));
}

}  // namespace egpu
