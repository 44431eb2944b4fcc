// The fail-closed checker: proves that a program is safe to run in every thread of a GPU kernel, or
// refuses it with the source line, the register and why.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "bpf/object.h"
#include "verifier/map_use.h"

namespace egpu::verifier {

// What a memory instruction touches, on every path that reaches it.
enum class Region : std::uint8_t {
  kNone,
  kStack,     // one place of the function's own frame
  kContext,   // one field of struct egpu_ctx
  kMapValue,  // memory of a map, one or several: a value, or a record of a ring buffer
  kReadOnly,  // a section of Object::read_only
  // Whatever the register's address says: a caller's frame, a computed place on the stack, a key in
  // a callback, or other things on other paths.
  kGeneric,
};

// What the code generator needs to know about an instruction.
struct InstructionFacts {
  bool reachable = false;
  Region region = Region::kNone;  // of a Load, Store or Atomic
  std::int32_t offset = 0;  // kContext: byte offset in struct egpu_ctx. kStack: from r10, negative
  std::uint32_t map = 0;    // of a CallHelper that takes a map: index in Object::maps
  std::uint32_t record_bytes = 0;  // of a CallHelper that ends a record, 0: differs between paths
  std::uint32_t callback = 0;  // of a CallHelper that calls back: the function's first instruction
};

struct CheckedProgram {
  const bpf::Program* program = nullptr;  // in the Object that was checked
  std::vector<InstructionFacts> facts;    // one per instruction
  MapUses map_uses;                       // one per map of the object
  // Per function of the program: of its frame, 0 to 512, a multiple of 8. Frames that are alive
  // together have at most 512 bytes.
  std::vector<std::uint32_t> frame_bytes;
  std::uint32_t stack_bytes = 0;       // of the deepest chain of calls
  std::uint64_t max_instructions = 0;  // executed on the longest path
};

struct CheckLimits {
  bool on_gpu = true;                              // helpers that have no GPU code are refused
  std::uint64_t executed_instructions = 10'000;    // on any one path
  std::uint64_t visited_instructions = 1'000'000;  // over all paths: bounds the checker's own time
};

// Thread-safe. `object` must outlive the result.
Result<CheckedProgram> check(const bpf::Object& object, const bpf::Program& program,
                             const CheckLimits& limits = {});

// What all of the programs do with the maps of their object.
MapUses uses_of(const std::vector<CheckedProgram>& programs);

}  // namespace egpu::verifier
