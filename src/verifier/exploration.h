// What all walks through one program share.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "bpf/object.h"
#include "verifier/check.h"
#include "verifier/recorder.h"

namespace egpu::verifier {

struct Exploration {
  Exploration(const bpf::Object& object, const bpf::Program& program, const CheckLimits& limits);

  // Counts one visit of an instruction, by a path that has executed so many.
  Result<void> visit(std::size_t index, std::uint64_t executed);
  [[nodiscard]] Error too_long(std::size_t index) const;

  const bpf::Program& program;
  const CheckLimits& limits;
  Recorder recorder;
  std::vector<std::uint16_t> live;  // per instruction: registers that may be read from there on
  std::vector<bool> joins;          // per instruction: paths may meet there
  std::uint64_t visited = 0;
};

}  // namespace egpu::verifier
