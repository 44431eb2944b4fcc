// Places the hooks in the driver.
#pragma once

#include <cstdint>

#include "hook/plan.h"

namespace egpu::inject {

// `plans`: one for each of abi::kHookedFunctions. False, after a report, where a function that
// safety depends on cannot be hooked; hooks placed by then only pass calls through.
bool install_hooks(const hook::FunctionPlan* plans, std::uintptr_t load_bias);

}  // namespace egpu::inject
