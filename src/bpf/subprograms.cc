#include "bpf/subprograms.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bpf/jump_target.h"

namespace egpu::bpf {
namespace {

bool ends_function(const Instruction& instruction) {
  return std::holds_alternative<Exit>(instruction) || std::holds_alternative<Jump>(instruction);
}

std::vector<Subprogram> split(std::span<const Instruction> instructions) {
  std::set<std::uint32_t> starts{0};
  for (const Instruction& instruction : instructions) {
    if (const auto* const call = std::get_if<CallSubprogram>(&instruction)) {
      starts.insert(call->target);
    }
  }
  std::vector<Subprogram> functions;
  for (const std::uint32_t start : starts) {
    if (!functions.empty()) functions.back().end = start;
    functions.push_back({start, static_cast<std::uint32_t>(instructions.size())});
  }
  return functions;
}

class Checker {
 public:
  Checker(const DecodedProgram& program, std::span<const Subprogram> functions,
          const SlotPlace& place)
      : program_(program), functions_(functions), place_(place), height_(functions.size(), 0) {}

  Result<void> run() {
    for (const Subprogram& function : functions_) EGPU_TRY(check_shape(function));
    for (std::size_t i = functions_.size(); i-- > 0;) EGPU_TRY(measure(i, 1));
    return {};
  }

 private:
  Result<void> check_shape(const Subprogram& function) const {
    for (std::uint32_t i = function.first; i < function.end; ++i) {
      const auto target = jump_target(program_.instructions[i]);
      if (target && (*target < function.first || *target >= function.end)) {
        return input_error("the jump leaves its function").at(place_(program_.slots[i]));
      }
    }
    if (ends_function(program_.instructions[function.end - 1])) return {};
    return input_error("the function runs past its last instruction")
        .at(place_(program_.slots[function.end - 1]))
        .hint("end every path with exit");
  }

  // Frames that a call of `function` needs at most, into height_. `depth`: frames on the way here.
  // A cycle of calls never ends, so that it exceeds the depth as well.
  Result<void> measure(std::size_t function, std::uint32_t depth) {
    if (height_[function] != 0) return {};
    std::uint32_t deepest = 0;
    for (std::uint32_t i = functions_[function].first; i < functions_[function].end; ++i) {
      const auto* const call = std::get_if<CallSubprogram>(&program_.instructions[i]);
      if (call == nullptr) continue;
      const std::size_t callee = index_of(call->target);
      if (depth < kMaxCallDepth) EGPU_TRY(measure(callee, depth + 1));
      deepest = std::max(deepest, height_[callee]);
      if (height_[callee] == 0 || deepest >= kMaxCallDepth) {
        return input_error(fmt::format("calls are nested deeper than {} frames", kMaxCallDepth))
            .at(place_(program_.slots[i]))
            .hint("a subprogram cannot call itself, directly or through others");
      }
    }
    height_[function] = deepest + 1;
    return {};
  }

  [[nodiscard]] std::size_t index_of(std::uint32_t start) const {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(functions_, start, {}, &Subprogram::first) - functions_.begin());
  }

  const DecodedProgram& program_;
  std::span<const Subprogram> functions_;
  const SlotPlace& place_;
  std::vector<std::uint32_t> height_;  // 0: not known yet
};

}  // namespace

Result<std::vector<Subprogram>> find_subprograms(const DecodedProgram& program,
                                                 const SlotPlace& place) {
  std::vector<Subprogram> functions = split(program.instructions);
  EGPU_TRY(Checker(program, functions, place).run());
  return functions;
}

}  // namespace egpu::bpf
