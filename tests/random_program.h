// Random programs that the kernel's verifier and our checker accept: arithmetic, moves, byte swaps,
// branches, bounded loops, calls of subprograms, memory on the stack and in a map, at constant and
// at computed places, and atomics in the map. They take their numbers from the map, so that neither
// verifier nor optimiser knows them, and give 32 bits that depend on every register and stack slot,
// which they also leave in the first bytes of the map.
#pragma once

#include <cstdint>

#include "bpf/object.h"

namespace egpu {

// An object with one program and one map: an ARRAY with one value of kMemoryBytes, which starts as
// its `initial` says. Deterministic.
bpf::Object make_random_program(std::uint64_t seed);

inline constexpr std::uint32_t kMemoryBytes = 192;

}  // namespace egpu
