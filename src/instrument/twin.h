// The instrumented twins of kernels, and of functions in which their threads end.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "ptx/ast.h"

namespace egpu::instrument {

// Of one kernel.
struct TwinProbes {
  std::uint32_t kernel_id = 0;
  std::vector<const ptx::Function*> entry;
  std::vector<const ptx::Function*> exit;
  // From the functions that have twins of their own to those twins.
  std::unordered_map<std::string_view, std::string_view> twin_of;
};

// A copy of `kernel` called kInstrumentedPrefix + its name, whose body begins with that of each
// entry probe, given the kernel's and the site's id (inline_probe.h), and which runs the exit
// probes where threads end (probe_exits.h). New text is owned by `module`. Labels, registers and
// variables of a function are its own, so the copy needs no renaming; in debug modules, whose
// sections refer to labels, ptxas takes those of the first function, the original. Exits have sites
// from `site` on, which becomes the number behind the last.
Result<ptx::Function> make_twin(ptx::Module& module, const ptx::Function& kernel,
                                const TwinProbes& probes, std::uint32_t& site);

// The same of a function that the kernel's twin calls, under the name that `probes.twin_of` has.
Result<ptx::Function> make_function_twin(ptx::Module& module, const ptx::Function& function,
                                         const TwinProbes& probes, std::uint32_t& site);

// __egpu_7_function: of kernel 7. No kernel's twin has such a name: names do not begin with digits.
std::string_view function_twin_name(ptx::Module& module, const ptx::Function& function,
                                    std::uint32_t kernel_id);

}  // namespace egpu::instrument
