// What all walks through one program share.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "bpf/object.h"
#include "verifier/check.h"
#include "verifier/precision.h"
#include "verifier/recorder.h"

namespace egpu::verifier {

struct Exploration {
  Exploration(const bpf::Object& object, const bpf::Program& program, const CheckLimits& limits,
              Precision precision);

  // Counts one visit of an instruction, by a path that has executed so many.
  Result<void> visit(std::size_t index, std::uint64_t executed);
  [[nodiscard]] Error too_long(std::size_t index) const;

  const bpf::Program& program;
  const CheckLimits& limits;
  Recorder recorder;
  std::vector<RegisterSet> live;      // per instruction: registers that may be read from there on
  std::vector<NeededNumbers> needed;  // per instruction: what a check may depend on
  std::vector<bool> joins;            // per instruction: paths may meet there
  std::uint64_t visited = 0;  // at most limits.visited_instructions, else the check has failed
};

}  // namespace egpu::verifier
