#include "verifier/check.h"

#include <utility>

#include "verifier/exploration.h"
#include "verifier/walk.h"

namespace egpu::verifier {

Result<CheckedProgram> check(const bpf::Object& object, const bpf::Program& program,
                             const CheckLimits& limits) {
  Exploration exploration(object, program, limits);
  EGPU_ASSIGN(const Walk::Outcome outcome, Walk(exploration, State::initial(), 0).run());
  return std::move(exploration.recorder).take(outcome.longest);
}

}  // namespace egpu::verifier
