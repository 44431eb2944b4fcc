// Whatever can be instrumented prints as PTX that parses, with the original entries unchanged.
#include <cstdlib>

#include "abi/probe_table.h"
#include "base/bytes.h"
#include "instrument/instrument.h"
#include "ptx/parser.h"
#include "ptx/printer.h"

namespace {

using egpu::ptx::Function;
using egpu::ptx::Module;

const Module& probes() {
  static const Module kModule = *egpu::ptx::parse(
      ".version 6.0 .target sm_70 .address_size 64 .visible .const .align 8 .b8 "
      "egpu_probe_table[16];"
      ".func probe(.param .b32 k, .param .b32 s) { ret; }",
      "probes.ptx");
  return kModule;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = egpu::as_text(std::as_bytes(std::span(data, size)));
  const auto application = egpu::ptx::parse(text, "fuzz.ptx");
  if (!application) return 0;
  static_cast<void>(egpu::instrument::constant_bytes(*application));
  const std::vector<const Function*> originals = application->entries();
  std::vector<egpu::instrument::KernelProbes> sites;
  for (const Function* entry : originals) sites.push_back({std::string(entry->name), 1, {"probe"}});
  const auto result = egpu::instrument::instrument(*application, probes(), sites);
  if (!result) return 0;
  const auto again = egpu::ptx::parse(egpu::ptx::print(*result), "again.ptx");
  if (!again) std::abort();
  const std::vector<const Function*> entries = again->entries();
  if (entries.size() != 2 * originals.size()) std::abort();
  for (std::size_t i = 0; i < originals.size(); ++i) {
    if (egpu::ptx::print(*entries[2 * i]) != egpu::ptx::print(*originals[i])) std::abort();
    const std::string twin = egpu::abi::kInstrumentedPrefix + std::string(originals[i]->name);
    if (entries[2 * i + 1]->name != twin) std::abort();
  }
  return 0;
}
