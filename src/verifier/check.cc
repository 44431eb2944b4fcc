#include "verifier/check.h"

#include <utility>

#include "verifier/exploration.h"
#include "verifier/walk.h"

namespace egpu::verifier {
namespace {

struct Attempt {
  Result<CheckedProgram> result;
  bool too_many_paths = false;
};

Attempt attempt(const bpf::Object& object, const bpf::Program& program, const CheckLimits& limits,
                Precision precision) {
  Exploration exploration(object, program, limits, precision);
  auto outcome = Walk(exploration, State::initial(), 0).run();
  if (outcome) return {std::move(exploration.recorder).take(outcome->longest)};
  return {std::move(outcome).error(), exploration.visited > limits.visited_instructions};
}

}  // namespace

// The more is remembered, the more can be proved, and the more paths differ. What is refused is
// refused for what was found when all was remembered.
Result<CheckedProgram> check(const bpf::Object& object, const bpf::Program& program,
                             const CheckLimits& limits) {
  Attempt first = attempt(object, program, limits, Precision::kAll);
  bool again = first.too_many_paths;
  for (const Precision precision : {Precision::kNeeded, Precision::kLoops}) {
    if (!again) break;
    Attempt next = attempt(object, program, limits, precision);
    if (next.result) return std::move(next.result);
    again = next.too_many_paths;
  }
  return std::move(first.result);
}

MapUses uses_of(const std::vector<CheckedProgram>& programs) {
  MapUses uses;
  for (const CheckedProgram& program : programs) {
    uses.resize(program.map_uses.size());
    for (std::size_t i = 0; i < uses.size(); ++i) uses[i] |= program.map_uses[i];
  }
  return uses;
}

}  // namespace egpu::verifier
