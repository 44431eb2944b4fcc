// One state for several: what holds in each of them.
#pragma once

#include <cstdint>

#include "verifier/recorder.h"
#include "verifier/state.h"

namespace egpu::verifier {

enum class Joining : std::uint8_t {
  kExact,  // as little more than both as can be
  kWiden,  // `b` is a later round of the loop that gave `a`: what still grows goes as far as it can
};

// Covers both states, which have the same frames and reservations. What is a pointer or initialised
// in one of them alone is not initialised in the result.
State join(const State& a, const State& b, Joining joining, Recorder& recorder);

}  // namespace egpu::verifier
