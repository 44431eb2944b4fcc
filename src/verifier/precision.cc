#include "verifier/precision.h"

#include <algorithm>

#include "verifier/helpers.h"

namespace egpu::verifier {
namespace {

constexpr std::uint64_t kAllSlots = ~std::uint64_t{0};

// The slot of an access through r10; nothing where it is none, and for another base.
std::uint64_t slot_of(bpf::Reg base, std::int16_t offset) {
  if (base != bpf::kR10 || offset >= 0 || offset < -512) return 0;
  return std::uint64_t{1} << (-(offset + 1) / 8);
}

// Who gets what a function returns.
enum class Caller : std::uint8_t { kNobody, kProgram, kHelper };

// What is needed before an instruction, from what is needed `after` it.
struct Before {
  Precision precision;
  Caller caller;
  NeededNumbers after;

  [[nodiscard]] bool needed(bpf::Reg reg) const { return (after.registers & bit(reg)) != 0; }

  // After it, with and without registers.
  [[nodiscard]] NeededNumbers with(RegisterSet more) const {
    return {.registers = static_cast<RegisterSet>(after.registers | more), .slots = after.slots};
  }
  [[nodiscard]] NeededNumbers without(bpf::Reg reg, RegisterSet more = 0) const {
    const int rest = (after.registers & ~bit(reg)) | more;
    return {.registers = static_cast<RegisterSet>(rest), .slots = after.slots};
  }

  NeededNumbers operator()(const bpf::Alu& alu) const {
    return needed(alu.dst) ? with(bit(alu.src)) : after;
  }
  NeededNumbers operator()(const bpf::Mov& mov) const {
    return without(mov.dst, needed(mov.dst) ? bit(mov.src) : RegisterSet{0});
  }
  NeededNumbers operator()(const bpf::Neg&) const { return after; }
  NeededNumbers operator()(const bpf::ByteSwap&) const { return after; }
  NeededNumbers operator()(const bpf::LoadImm64& load) const { return without(load.dst); }

  NeededNumbers operator()(const bpf::Load& load) const {
    NeededNumbers before = without(load.dst, bit(load.base));
    if (!needed(load.dst)) return before;
    const bool anywhere = load.base != bpf::kR10 && precision != Precision::kLoops;
    before.slots |= anywhere ? kAllSlots : slot_of(load.base, load.offset);
    return before;
  }

  NeededNumbers operator()(const bpf::Store& store) const {
    const std::uint64_t slot = slot_of(store.base, store.offset);
    const std::uint64_t reached = slot != 0 ? slot : kAllSlots;
    const bool source_needed = (after.slots & reached) != 0;
    NeededNumbers before =
        with(static_cast<RegisterSet>(bit(store.base) | (source_needed ? bit(store.src) : 0)));
    if (store.size == bpf::MemSize::k64) before.slots &= ~slot;
    return before;
  }

  // Only values of maps are changed by these, and nothing is known of them.
  NeededNumbers operator()(const bpf::Atomic& atomic) const {
    if (atomic.op == bpf::AtomicOp::kCompareExchange) return without(bpf::kR0, bit(atomic.base));
    return atomic.fetch ? without(atomic.src, bit(atomic.base)) : with(bit(atomic.base));
  }

  NeededNumbers operator()(const bpf::Jump&) const { return after; }
  NeededNumbers operator()(const bpf::JumpIf& jump) const {
    const bool compares_registers = std::holds_alternative<bpf::Reg>(jump.src);
    if (compares_registers && precision == Precision::kLoops) return after;
    return with(static_cast<RegisterSet>(bit(jump.dst) | bit(jump.src)));
  }

  // Who is called may need whatever it is given, and whatever it can reach where it is a function
  // of the program.
  [[nodiscard]] NeededNumbers call(bool runs_program) const {
    const int kept = after.registers & kPreserved;
    return {.registers = static_cast<RegisterSet>(kept | kArguments),
            .slots = runs_program ? kAllSlots : after.slots};
  }
  NeededNumbers operator()(const bpf::CallHelper& helper) const {
    const HelperPrototype* const known = find_helper(helper.helper);
    return call(known != nullptr && known->callback != CallbackKind::kNone);
  }
  NeededNumbers operator()(const bpf::CallSubprogram&) const { return call(true); }
  NeededNumbers operator()(const bpf::CallExtern&) const { return call(false); }

  // Helpers want 0 or 1; what becomes of a number that the program itself returns does not matter.
  NeededNumbers operator()(const bpf::Exit&) const {
    const bool is_needed =
        caller == Caller::kHelper || (caller == Caller::kProgram && precision != Precision::kLoops);
    return {.registers = is_needed ? bit(bpf::kR0) : RegisterSet{0}};
  }
};

// Per instruction, of the function that holds it.
std::vector<Caller> find_callers(const bpf::Program& program) {
  std::vector<Caller> callers(program.instructions.size(), Caller::kNobody);
  const auto mark = [&](std::uint64_t first, Caller caller) {
    const bpf::Subprogram& range = program.functions[program.function_of(first)].range;
    std::fill(callers.begin() + range.first, callers.begin() + range.end, caller);
  };
  for (std::size_t i = 1; i < program.functions.size(); ++i)
    mark(program.functions[i].range.first, Caller::kProgram);
  for (const bpf::Instruction& instruction : program.instructions) {
    const auto* const load = std::get_if<bpf::LoadImm64>(&instruction);
    if (load != nullptr && load->kind == bpf::Imm64Kind::kFunction)
      mark(load->value, Caller::kHelper);
  }
  return callers;
}

}  // namespace

std::vector<NeededNumbers> needed_numbers(const bpf::Program& program, Precision precision) {
  constexpr NeededNumbers kEverything{.registers = 0b111'1111'1111, .slots = kAllSlots};
  if (precision == Precision::kAll) return std::vector(program.instructions.size(), kEverything);
  const std::vector<Caller> callers = find_callers(program);
  return backward_flow<NeededNumbers>(
      program.instructions, [&](std::size_t index, const NeededNumbers& after) {
        return std::visit(Before{precision, callers[index], after}, program.instructions[index]);
      });
}

}  // namespace egpu::verifier
