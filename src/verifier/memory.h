// Loads, stores and atomics: what may be touched, and what is read.
#pragma once

#include "base/result.h"
#include "bpf/instruction.h"
#include "verifier/recorder.h"
#include "verifier/state.h"

namespace egpu::verifier {

// Each checks the instruction at `index` and applies its effect to `state`. The base register has a
// value.
Result<void> check_load(const bpf::Load& load, std::size_t index, State& state, Recorder& recorder);
Result<void> check_store(const bpf::Store& store, std::size_t index, State& state,
                         Recorder& recorder);
Result<void> check_atomic(const bpf::Atomic& atomic, std::size_t index, State& state,
                          Recorder& recorder);

}  // namespace egpu::verifier
