// Random programs that the kernel's verifier accepts: arithmetic, moves, byte swaps, memory and
// atomics on the stack, branches, bounded loops and calls of subprograms. They take their numbers
// from a packet, so that neither verifier nor optimiser knows them, and give 32 bits that depend on
// every register and stack slot.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bpf/instruction.h"

namespace egpu {

inline constexpr std::size_t kPacketBytes = 112;

struct RandomProgram {
  std::vector<std::byte> packet;               // kPacketBytes
  std::vector<bpf::Instruction> instructions;  // for a kernel's classifier
};

// Deterministic.
RandomProgram make_random_program(std::uint64_t seed);

// The same program for who gets the packet's address in r1.
std::vector<bpf::Instruction> with_packet_in_r1(std::vector<bpf::Instruction> instructions);

}  // namespace egpu
