// Helpers that call a function of the program, over and over. See callbacks.cc.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "verifier/exploration.h"
#include "verifier/helpers.h"
#include "verifier/state.h"

namespace egpu::verifier {

// Checks the call at `index` and all calls that it makes. `state` becomes that after the call; the
// result is how many instructions the callback executes at most.
Result<std::uint64_t> call_with_callback(const HelperPrototype& helper, std::uint32_t index,
                                         State& state, Exploration& exploration);

}  // namespace egpu::verifier
