// Random programs that the checker accepts, by the host JIT and by another engine: both must give
// the same number and leave the same bytes in their map.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "bpf/object.h"
#include "verifier/check.h"

namespace egpu {

// What a run leaves behind.
struct Outcome {
  std::uint32_t result = 0;  // r0's low half
  std::vector<std::byte> memory;
  bool operator==(const Outcome&) const = default;
};

// Runs the only program of an object, which has passed the checker.
using Engine = std::function<Result<Outcome>(const bpf::Object& object,
                                             const std::vector<verifier::CheckedProgram>& checked)>;

// Fails the test where `engine`, called `name` there, differs from the host. `count`: programs,
// unless the environment says otherwise (random_cases.h).
void expect_agreement(const char* name, const Engine& engine, std::uint64_t count);

}  // namespace egpu
