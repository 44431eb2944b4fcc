#include "verifier/check.h"

#include <optional>
#include <utility>

#include "verifier/exploration.h"
#include "verifier/walk.h"

namespace egpu::verifier {

Result<CheckedProgram> check(const bpf::Object& object, const bpf::Program& program,
                             const CheckLimits& limits) {
  // The more is remembered, the more can be proved, and the more paths differ.
  std::optional<Error> first_error;
  for (const Precision precision : {Precision::kAll, Precision::kNeeded, Precision::kLoops}) {
    Exploration exploration(object, program, limits, precision);
    auto outcome = Walk(exploration, State::initial(), 0).run();
    if (outcome) return std::move(exploration.recorder).take(outcome->longest);
    if (!first_error) first_error = std::move(outcome).error();
    const bool too_many_paths = exploration.visited > limits.visited_instructions;
    if (!too_many_paths) break;
  }
  return *std::move(first_error);
}

}  // namespace egpu::verifier
