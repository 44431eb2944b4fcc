// What must hold before a module is instrumented. Each error says what the reader can do.
#pragma once

#include <vector>

#include "base/result.h"
#include "instrument/instrument.h"
#include "ptx/ast.h"

namespace egpu::instrument {

// The application's target, address size and PTX version can carry the probes.
Result<void> check_target(const ptx::Module& application, const ptx::Module& probes);

// The probe module holds nothing but variables and functions, and has every function the sites
// call, of the right signature. Violations are our bug.
Result<void> check_probes(const ptx::Module& probes, const std::vector<KernelProbes>& sites);

// Every kernel exists, once in `sites`, and no name of the probes' variables, of the `callees`
// (callees.h) or of a twin is taken.
Result<void> check_names(const ptx::Module& application, const ptx::Module& probes,
                         const std::vector<const ptx::Function*>& callees,
                         const std::vector<KernelProbes>& sites);

}  // namespace egpu::instrument
