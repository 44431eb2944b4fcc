// The arguments of helpers, by ArgumentKind.
#pragma once

#include "base/result.h"
#include "verifier/helpers.h"
#include "verifier/recorder.h"
#include "verifier/state.h"

namespace egpu::verifier {

// Checks r1 to r5 of the call at `index`, and writes to the stack what the helper does.
Result<void> check_arguments(const HelperPrototype& helper, std::size_t index, State& state,
                             Recorder& recorder);

}  // namespace egpu::verifier
