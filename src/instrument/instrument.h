// Probe sites to edits: an application's PTX module and generated probe functions become one module
// that holds each matched kernel twice, the original and an instrumented twin.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ptx/ast.h"

namespace egpu::instrument {

// Of the targets a module may have: sm_70, for which probes are generated (codegen/target.h).
inline constexpr unsigned kOldestArchitecture = 70;

struct EntryProbe {
  std::string kernel;       // mangled name of an entry of the application's module
  std::uint32_t kernel_id;  // passed to each probe function, followed by the site's id, 0
  std::vector<std::string> functions;  // to run before its first instruction, in order
};

// `probes` is the generated module (codegen/generate.h). The result keeps the application's
// .version, .target, symbols and original entries token for token; nothing else is renamed. Fails
// where the module's target is older than kOldestArchitecture, its address size is not 64, a kernel
// is unknown, or a name collides.
Result<ptx::Module> instrument(const ptx::Module& application, const ptx::Module& probes,
                               const std::vector<EntryProbe>& sites);

// Bytes of constant memory the module declares, alignment included, or nothing where a size cannot
// be told. Decides whether the probe table still fits into the 64 KiB.
std::optional<std::uint64_t> constant_bytes(const ptx::Module& application);

}  // namespace egpu::instrument
