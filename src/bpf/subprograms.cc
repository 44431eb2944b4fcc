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
    if (const auto target = function_target(instruction)) starts.insert(*target);
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
  Checker(std::span<const Instruction> instructions, std::span<const Subprogram> functions,
          const InstructionPlace& place)
      : instructions_(instructions),
        functions_(functions),
        place_(place),
        height_(functions.size(), kUnknown) {}

  Result<void> run() {
    for (const Subprogram& function : functions_) EGPU_TRY(check_shape(function));
    for (std::size_t i = functions_.size(); i-- > 0;) EGPU_TRY(measure(i, 1));
    return {};
  }

 private:
  static constexpr std::uint32_t kUnknown = 0;
  static constexpr std::uint32_t kOnTheWay = ~std::uint32_t{0};

  Result<void> check_shape(const Subprogram& function) const {
    for (std::uint32_t i = function.first; i < function.end; ++i) {
      const auto target = jump_target(instructions_[i]);
      if (target && (*target < function.first || *target >= function.end)) {
        return input_error("the jump leaves its function").at(place_(i));
      }
    }
    if (ends_function(instructions_[function.end - 1])) return {};
    return input_error("the function runs past its last instruction")
        .at(place_(function.end - 1))
        .hint("end every path with exit");
  }

  // Frames that a call of `function` needs at most, into height_. `depth`: frames on the way here.
  Result<void> measure(std::size_t function, std::uint32_t depth) {
    if (height_[function] != kUnknown) return {};
    height_[function] = kOnTheWay;
    std::uint32_t deepest = 0;
    for (std::uint32_t i = functions_[function].first; i < functions_[function].end; ++i) {
      const auto target = function_target(instructions_[i]);
      if (!target) continue;
      const std::size_t callee = index_of(*target);
      if (height_[callee] == kOnTheWay) {
        return input_error(fmt::format("calls are nested deeper than {} frames: the function "
                                       "calls itself, directly or through others",
                                       kMaxCallDepth))
            .at(place_(i))
            .hint("write a loop in place of the recursion");
      }
      if (depth < kMaxCallDepth) EGPU_TRY(measure(callee, depth + 1));
      deepest = std::max(deepest, height_[callee]);
      if (height_[callee] == kUnknown || deepest >= kMaxCallDepth) {
        return input_error(fmt::format("calls are nested deeper than {} frames", kMaxCallDepth))
            .at(place_(i))
            .hint("mark some of the functions __always_inline");
      }
    }
    height_[function] = deepest + 1;
    return {};
  }

  [[nodiscard]] std::size_t index_of(std::uint32_t start) const {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(functions_, start, {}, &Subprogram::first) - functions_.begin());
  }

  std::span<const Instruction> instructions_;
  std::span<const Subprogram> functions_;
  const InstructionPlace& place_;
  std::vector<std::uint32_t> height_;
};

}  // namespace

std::optional<std::uint32_t> function_target(const Instruction& instruction) {
  if (const auto* const call = std::get_if<CallSubprogram>(&instruction)) return call->target;
  const auto* const load = std::get_if<LoadImm64>(&instruction);
  if (load == nullptr || load->kind != Imm64Kind::kFunction) return std::nullopt;
  return static_cast<std::uint32_t>(load->value);
}

Result<std::vector<Subprogram>> find_subprograms(std::span<const Instruction> instructions,
                                                 const InstructionPlace& place) {
  std::vector<Subprogram> functions = split(instructions);
  EGPU_TRY(Checker(instructions, functions, place).run());
  return functions;
}

Result<std::vector<Subprogram>> find_subprograms(const DecodedProgram& program,
                                                 const SlotPlace& place) {
  return find_subprograms(program.instructions, [&](std::size_t instruction) {
    return place(program.slots[instruction]);
  });
}

}  // namespace egpu::bpf
