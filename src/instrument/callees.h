// The functions that probes call. Probes themselves are inlined; what they call stays a function.
#pragma once

#include <vector>

#include "base/result.h"
#include "instrument/instrument.h"
#include "ptx/ast.h"

namespace egpu::instrument {

// Of the probe module: the functions that the sites' probes call, directly or through others, and
// their declarations, in source order. Fails, as our bug, on calls of what the module does not
// define, and on calls through a register.
Result<std::vector<const ptx::Function*>> find_callees(const ptx::Module& probes,
                                                       const std::vector<KernelProbes>& sites);

}  // namespace egpu::instrument
