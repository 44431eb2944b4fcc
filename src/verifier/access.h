// Which memory may be touched, by an instruction or by a helper.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "bpf/instruction.h"
#include "verifier/recorder.h"
#include "verifier/state.h"

namespace egpu::verifier {

struct Access {
  std::size_t index = 0;  // of the instruction
  bpf::Reg base;
  std::int32_t offset = 0;
  unsigned bytes = 0;
  unsigned alignment = 1;  // divides the address
  MapUse use = {};         // of the value of a map, where it is one
};

// Offsets where an access may start: from what its base points into, or from r10.
struct Range {
  int low = 0;
  int high = 0;

  [[nodiscard]] bool is_constant() const { return low == high; }
};

// The size of what a pointer points into, or nothing where that is the stack or no memory.
std::optional<std::uint64_t> size_of(const Value& pointer, const Recorder& recorder);

// Where an access of the stack lies, proved to be inside and aligned.
Result<Range> check_stack(const Access& access, const State& state, Recorder& recorder);
// The same of a value or key of a map or of read-only data.
Result<void> check_bounds(const Access& access, const Value& base, Recorder& recorder);

// All bytes are initialised and may be read, by the generated code or by a helper.
Result<void> check_readable(const Access& access, const State& state, Recorder& recorder);

// What is no stack may be written by plain stores: values of maps that are not PERCPU.
Result<void> check_plain_store(const Access& access, const Value& base, const Recorder& recorder);

// Where the access starts, counted from what `base` points into.
Scalar start_of(const Access& access, const Value& base);

// What to do about a pointer that may be null.
const char* null_hint(const Value& value);

Error refuse_base(const Access& access, const Value& base, const Recorder& recorder);

// "r10 -8", or "r10 -16 to -8": for messages.
std::string to_string(const Range& range);

}  // namespace egpu::verifier
