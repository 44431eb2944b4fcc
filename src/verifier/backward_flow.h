// Classic backward data flow over a program.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bpf/instruction.h"
#include "bpf/jump_target.h"

namespace egpu::verifier {

// Bit i: r<i>.
using RegisterSet = std::uint16_t;

inline RegisterSet bit(bpf::Reg reg) { return static_cast<RegisterSet>(1U << reg.index); }
inline RegisterSet bit(const bpf::Operand& operand) {
  const auto* const reg = std::get_if<bpf::Reg>(&operand);
  return reg == nullptr ? RegisterSet{0} : bit(*reg);
}

inline constexpr RegisterSet kArguments = 0b000'0011'1110;  // r1 to r5
inline constexpr RegisterSet kPreserved = 0b111'1100'0000;  // r6 to r10

inline bool falls_through(const bpf::Instruction& instruction) {
  return !std::holds_alternative<bpf::Jump>(instruction) &&
         !std::holds_alternative<bpf::Exit>(instruction);
}

// Per instruction, the set that holds before it: transfer(its index, the set that holds after it),
// where the latter is the union over the instructions that may come next. Calls go on behind
// themselves. Sets start out empty and only grow.
template <class Set, class Transfer>
std::vector<Set> backward_flow(std::span<const bpf::Instruction> program, Transfer transfer) {
  const auto count = static_cast<std::uint32_t>(program.size());
  std::vector<Set> facts(count);
  std::vector<std::vector<std::uint32_t>> sources(count);  // from where an instruction is jumped to
  std::vector<std::uint32_t> pending;  // taken from the end: most programs need one pass
  for (std::uint32_t i = 0; i < count; ++i) {
    if (const auto target = bpf::jump_target(program[i])) sources[*target].push_back(i);
    pending.push_back(i);
  }
  std::vector<bool> done(count, false);
  while (!pending.empty()) {
    const std::uint32_t i = pending.back();
    pending.pop_back();
    const auto target = bpf::jump_target(program[i]);
    Set after = target ? facts[*target] : Set{};
    if (falls_through(program[i]) && i + 1 < count) after |= facts[i + 1];
    const Set before = transfer(i, after);
    if (done[i] && before == facts[i]) continue;
    done[i] = true;
    facts[i] = before;
    if (i > 0 && falls_through(program[i - 1])) pending.push_back(i - 1);
    pending.insert(pending.end(), sources[i].begin(), sources[i].end());
  }
  return facts;
}

}  // namespace egpu::verifier
