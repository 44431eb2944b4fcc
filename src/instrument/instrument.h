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

// Probe functions get the kernel's id and the site's: 0 where the kernel begins, 1 and up where
// threads end.
struct KernelProbes {
  std::string kernel;  // mangled name of an entry of the application's module
  std::uint32_t kernel_id;
  std::vector<std::string> entry;      // to run before its first instruction, in order
  std::vector<std::string> exit = {};  // to run where a thread ends (probe_exits.h), in order
};

// Why some end of a thread of this kernel would not be seen; nothing where all are.
std::optional<Error> exit_obstacle(const ptx::Module& application, const ptx::Function& kernel);

// `probes` is the generated module (codegen/generate.h). The result keeps the application's
// .version, .target, symbols, original entries and functions token for token. Functions in which a
// thread of a kernel with exit probes may end have twins too, which the kernel's twin calls. Fails
// where the module's target is older than kOldestArchitecture, its address size is not 64, a kernel
// is unknown, a name collides, or a kernel with exit probes has an exit_obstacle().
Result<ptx::Module> instrument(const ptx::Module& application, const ptx::Module& probes,
                               const std::vector<KernelProbes>& sites);

// Bytes of constant memory the module declares, alignment included, or nothing where a size cannot
// be told. Decides whether the probe table still fits into the 64 KiB.
std::optional<std::uint64_t> constant_bytes(const ptx::Module& application);

}  // namespace egpu::instrument
