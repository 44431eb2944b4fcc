// Chooses the instruction of a function that a jump replaces, and writes the code around it
// (method: hook/plan.h). Works on decoded instructions; the decoder is the planner's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "hook/plan.h"

namespace egpu::hook {

inline constexpr std::size_t kMaxInstructionSize = 15;  // of x86-64

// How an instruction depends on its own address.
enum class PcUse {
  kNone,
  kMemory,  // operand disp32(%rip)
  kBranch,  // jump or call to a constant distance
  kOther,   // anything else, such as disp32(%eip)
};

struct Instruction {
  std::uint64_t offset = 0;  // in the function
  std::uint8_t size = 0;
  bool is_call = false;
  PcUse pc_use = PcUse::kNone;
  std::uint64_t target = 0;  // virtual address the operand or branch refers to

  bool operator==(const Instruction&) const = default;
};

// An offset in a function as reasons give it: "+0x14".
std::string offset_text(std::uint64_t offset);

// The plan without its symbol. `instructions`: all of `code`, in order. The error is the reason for
// which the function cannot be hooked.
Result<FunctionPlan> plan_function(std::uint64_t address, Bytes code,
                                   const std::vector<Instruction>& instructions);

}  // namespace egpu::hook
