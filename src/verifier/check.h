// The fail-closed checker: proves that a program is safe to run in every thread of a GPU kernel, or
// refuses it with the source line, the register and why.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "bpf/object.h"

namespace egpu::verifier {

// What a memory instruction touches; the same on every path that reaches it, else the program is
// refused.
enum class Region : std::uint8_t { kNone, kStack, kContext, kMapValue };

// What the code generator needs to know about an instruction.
struct InstructionFacts {
  bool reachable = false;
  Region region = Region::kNone;  // of a Load, Store or Atomic
  std::int32_t offset = 0;  // kContext: byte offset in struct egpu_ctx. kStack: from r10, negative
  std::uint32_t map = 0;    // kMapValue, or the map argument of a CallHelper: index in Object::maps
};

struct CheckedProgram {
  const bpf::Program* program = nullptr;  // in the Object that was checked
  std::vector<InstructionFacts> facts;    // one per instruction
  std::uint32_t stack_bytes = 0;          // 0 to 512, a multiple of 8
  std::uint64_t max_instructions = 0;     // executed on the longest path
};

struct CheckLimits {
  std::uint64_t executed_instructions = 10'000;    // on any one path
  std::uint64_t visited_instructions = 1'000'000;  // over all paths: bounds the checker's own time
};

// Thread-safe. `object` must outlive the result.
Result<CheckedProgram> check(const bpf::Object& object, const bpf::Program& program,
                             const CheckLimits& limits = {});

}  // namespace egpu::verifier
