#include "session/module_compiler.h"

#include <fmt/format.h>

#include <algorithm>

#include "abi/probe_table.h"
#include "base/demangle.h"
#include "codegen/generate.h"
#include "codegen/map_calls.h"
#include "instrument/instrument.h"
#include "ptx/parser.h"
#include "ptx/printer.h"
#include "session/assembler_options.h"
#include "session/attachment.h"
#include "verifier/check.h"

namespace egpu::session {
namespace {

constexpr std::uint64_t kConstantBankBytes = 64 << 10;

// The programs that fire in `kernel`, in the object's order; its id is not known yet.
instrument::KernelProbes probes_of(const bpf::Object& object, const std::string& kernel) {
  instrument::KernelProbes probes{.kernel = kernel, .kernel_id = 0, .entry = {}};
  const std::string demangled = demangle(kernel);
  for (std::size_t i = 0; i < object.programs.size(); ++i) {
    const bpf::AttachPoint& attach = object.programs[i].attach;
    if (!attaches_to(attach, kernel, demangled)) continue;
    auto& functions = attach.event == bpf::AttachEvent::kEntry ? probes.entry : probes.exit;
    functions.push_back(codegen::probe_function_name(i));
  }
  return probes;
}

bool is_probed(const instrument::KernelProbes& probes) {
  return !probes.entry.empty() || !probes.exit.empty();
}

// Why a module that has matching kernels but no usable PTX stays as it is; empty where none
// matches.
std::string no_ptx_note(const bpf::Object& object, const fatbin::Member& chosen) {
  const auto cubin = fatbin::decompress(chosen);
  if (!cubin) return "a module is not probed: " + to_string(cubin.error());
  const auto kernels = fatbin::cubin_kernels(*cubin);
  if (!kernels) return "a module is not probed: " + to_string(kernels.error());
  const auto matching = std::ranges::count_if(
      *kernels, [&](const std::string& kernel) { return is_probed(probes_of(object, kernel)); });
  if (matching == 0) return {};
  return fmt::format(
      "{} matching kernel{} not probed: the module ships no PTX for the sm_{} code the driver runs",
      matching, matching == 1 ? " is" : "s are", chosen.architecture);
}

struct Matches {
  std::vector<instrument::KernelProbes> sites;
  std::string declined;  // for people: the kernels that match but cannot be probed; may be empty
};

Matches match_kernels(const ptx::Module& application, const bpf::Object& object,
                      KernelRegistry& kernels) {
  Matches matches;
  for (const ptx::Function* entry : application.entries()) {
    auto probes = probes_of(object, std::string(entry->name));
    if (!is_probed(probes)) continue;
    const std::string demangled = demangle(probes.kernel);
    if (!probes.exit.empty())
      if (const auto obstacle = instrument::exit_obstacle(application, *entry)) {
        matches.declined +=
            fmt::format("{}kernel {} is not probed: {}", matches.declined.empty() ? "" : "; ",
                        demangled, to_string(*obstacle));
        continue;
      }
    probes.kernel_id = kernels.id_of(probes.kernel, demangled);
    matches.sites.push_back(std::move(probes));
  }
  return matches;
}

// Everything the replacement's bytes depend on.
Result<CacheKey> cache_key(Bytes ptx, std::string_view probes,
                           const std::vector<instrument::KernelProbes>& sites,
                           std::string_view target, std::string_view assembler,
                           const std::vector<std::string>& options) {
  std::string site_list;
  for (const auto& site : sites)
    site_list += fmt::format("{} {} {} {}\n", site.kernel, site.kernel_id,
                             fmt::join(site.entry, ","), fmt::join(site.exit, ","));
  return cache_key_of({as_text(ptx), probes, site_list, target, assembler,
                       fmt::format("{}", fmt::join(options, " "))});
}

std::string names_of(const std::vector<instrument::KernelProbes>& sites) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(sites.size(), kShown); ++i)
    text += (i == 0 ? "" : ", ") + demangle(sites[i].kernel);
  if (sites.size() > kShown) text += fmt::format(" and {} more", sites.size() - kShown);
  return text;
}

}  // namespace

Result<ProbeSet> build_probe_set(bpf::Object object) {
  std::vector<verifier::CheckedProgram> checked;
  for (const auto& program : object.programs) {
    EGPU_ASSIGN(checked.emplace_back(), verifier::check(object, program));
  }
  codegen::choose_sums(object, checked);
  EGPU_ASSIGN(auto generated, codegen::generate(object, checked, {codegen::TableSpace::kConst}));
  return ProbeSet{std::move(object), std::move(checked), std::move(generated.ptx)};
}

ModuleCompiler::ModuleCompiler(ProbeSet probes, KernelRegistry& kernels, CompilerOptions options)
    : probes_(std::move(probes)), kernels_(kernels), options_(std::move(options)) {}

const Result<std::string>& ModuleCompiler::global_table_ptx() {
  std::call_once(global_table_once_, [this] {
    auto generated =
        codegen::generate(probes_.object, probes_.checked, {codegen::TableSpace::kGlobal});
    if (generated)
      global_table_ptx_ = std::move(generated->ptx);
    else
      global_table_ptx_ = std::move(generated).error();
  });
  return global_table_ptx_;
}

CompiledModule ModuleCompiler::compile(Bytes image_untrusted, fatbin::ComputeCapability device) {
  auto compiled = try_compile(image_untrusted, device);
  if (compiled) return *std::move(compiled);
  return {std::nullopt, "a module is not probed: " + to_string(compiled.error())};
}

Result<CompiledModule> ModuleCompiler::try_compile(Bytes image_untrusted,
                                                   fatbin::ComputeCapability device) {
  // Which code would the driver run, and is there PTX for exactly that?
  EGPU_ASSIGN(const auto image, fatbin::parse_image(image_untrusted));
  const fatbin::Member* chosen =
      options_.emulated ? fatbin::ptx_member_for(image, device) : fatbin::member_for(image, device);
  if (chosen == nullptr) return CompiledModule{};  // the driver will refuse it: not ours to explain
  const fatbin::Member* source = fatbin::ptx_for(image, *chosen);
  if (source == nullptr) return CompiledModule{std::nullopt, no_ptx_note(probes_.object, *chosen)};

  // Which of its kernels do programs attach to?
  EGPU_ASSIGN(const auto text, fatbin::decompress(*source));
  EGPU_ASSIGN(const auto application, ptx::parse(as_text(text), "module"));
  const auto [sites, declined] = match_kernels(application, probes_.object, kernels_);
  if (sites.empty()) return CompiledModule{std::nullopt, declined};

  // Done before? Where not: splice the probes in and assemble.
  const bool constants_full = instrument::constant_bytes(application).value_or(kConstantBankBytes) +
                                  abi::probe_table_bytes(probes_.object.maps.size()) >
                              kConstantBankBytes;
  if (constants_full && !global_table_ptx()) return global_table_ptx().error();
  const std::string& probes = constants_full ? *global_table_ptx() : probes_.const_table_ptx;
  EGPU_ASSIGN(const Target target, target_for(as_text(text), device));
  std::vector<std::string> options;
  if (!options_.emulated) {
    EGPU_ASSIGN(options, options_to_keep(source->options));
  }
  EGPU_ASSIGN(const CacheKey key, cache_key(text, probes, sites, to_string(target),
                                            options_.assembler.identity(), options));
  const std::string what = "probed: " + names_of(sites) + (declined.empty() ? "" : "; " + declined);
  if (options_.cache)
    if (auto cached = options_.cache->load(key))
      return CompiledModule{std::move(cached), what + " (from the cache)"};

  EGPU_ASSIGN(const auto probe_module, ptx::parse(probes, "probes"));
  EGPU_ASSIGN(const auto instrumented, instrument::instrument(application, probe_module, sites));
  EGPU_ASSIGN(auto assembled,
              options_.assembler.assemble(ptx::print(instrumented), target, options));
  std::string note = what + " (assembled by " + assembled.by + ")";
  if (options_.cache)
    if (auto stored = options_.cache->store(key, assembled.image); !stored)
      note += "; not kept in the cache: " + to_string(stored.error());
  return CompiledModule{std::move(assembled.image), std::move(note)};
}

}  // namespace egpu::session
