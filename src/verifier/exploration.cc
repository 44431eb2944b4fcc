#include "verifier/exploration.h"

#include <fmt/format.h>

#include "bpf/jump_target.h"
#include "verifier/liveness.h"

namespace egpu::verifier {
namespace {

// Jump targets, and where calls return to: a function may have several exits.
std::vector<bool> find_joins(const bpf::Program& program) {
  std::vector<bool> joins(program.instructions.size());
  for (std::size_t i = 0; i < joins.size(); ++i) {
    const bpf::Instruction& instruction = program.instructions[i];
    if (const auto target = bpf::jump_target(instruction)) joins[*target] = true;
    const bool calls = std::holds_alternative<bpf::CallSubprogram>(instruction);
    if (calls && i + 1 < joins.size()) joins[i + 1] = true;
  }
  return joins;
}

}  // namespace

Exploration::Exploration(const bpf::Object& object, const bpf::Program& checked_program,
                         const CheckLimits& check_limits, Precision precision)
    : program(checked_program),
      limits(check_limits),
      recorder(object, checked_program, check_limits),
      live(live_registers(checked_program.instructions)),
      needed(needed_numbers(checked_program, precision)),
      joins(find_joins(checked_program)) {}

Result<void> Exploration::visit(std::size_t index, std::uint64_t executed) {
  if (executed >= limits.executed_instructions) return too_long(index);
  recorder.reach(index);
  if (++visited <= limits.visited_instructions) return {};
  return recorder
      .refuse(index, fmt::format("the program has too many paths: {} instructions were visited",
                                 limits.visited_instructions))
      .hint("use fewer branches, above all inside loops");
}

Error Exploration::too_long(std::size_t index) const {
  return recorder
      .refuse(index, fmt::format("a path executes more than {} instructions",
                                 limits.executed_instructions))
      .hint("every thread of the kernel runs this program: give loops a smaller constant bound");
}

}  // namespace egpu::verifier
