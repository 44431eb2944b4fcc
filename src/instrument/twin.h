// The instrumented twin of one kernel.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "ptx/ast.h"

namespace egpu::instrument {

// A copy of `entry` called kInstrumentedPrefix + its name, whose body begins with that of each
// probe function, given the kernel's and the site's id (inline_probe.h). New text is owned by
// `module`. Labels, registers and variables of a function are its own, so the copy needs no
// renaming; in debug modules, whose sections refer to labels, ptxas takes those of the first
// function, the original. `original` is the entry's body.
Result<ptx::Function> make_twin(ptx::Module& module, const ptx::Function& entry,
                                const ptx::Block& original,
                                const std::vector<const ptx::Function*>& probes,
                                std::uint32_t kernel_id, std::uint32_t site_id);

}  // namespace egpu::instrument
