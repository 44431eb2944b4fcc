#include "verifier/liveness.h"

#include "bpf/jump_target.h"

namespace egpu::verifier {
namespace {

using Mask = std::uint16_t;

constexpr Mask kArguments = 0b111110;     // r1 to r5
constexpr Mask kFramePointer = 1U << 10;  // always alive: it never changes

struct Effect {
  Mask reads = 0;
  Mask writes = 0;
};

Mask bit(bpf::Reg reg) { return static_cast<Mask>(1U << reg.index); }
Mask bit(const bpf::Operand& operand) {
  const auto* const reg = std::get_if<bpf::Reg>(&operand);
  return reg == nullptr ? Mask{0} : bit(*reg);
}
Mask either(Mask a, Mask b) { return static_cast<Mask>(a | b); }

struct EffectOf {
  Effect operator()(const bpf::Alu& alu) const {
    return {either(bit(alu.dst), bit(alu.src)), bit(alu.dst)};
  }
  Effect operator()(const bpf::Mov& mov) const { return {bit(mov.src), bit(mov.dst)}; }
  Effect operator()(const bpf::Neg& neg) const { return {bit(neg.dst), bit(neg.dst)}; }
  Effect operator()(const bpf::ByteSwap& swap) const { return {bit(swap.dst), bit(swap.dst)}; }
  Effect operator()(const bpf::LoadImm64& load) const { return {0, bit(load.dst)}; }
  Effect operator()(const bpf::Load& load) const { return {bit(load.base), bit(load.dst)}; }
  Effect operator()(const bpf::Store& store) const {
    return {either(bit(store.base), bit(store.src)), 0};
  }
  Effect operator()(const bpf::Atomic& atomic) const {
    const Mask reads = either(bit(atomic.base), bit(atomic.src));
    if (atomic.op == bpf::AtomicOp::kCompareExchange) {
      return {either(reads, bit(bpf::kR0)), bit(bpf::kR0)};
    }
    return {reads, atomic.fetch ? bit(atomic.src) : Mask{0}};
  }
  Effect operator()(const bpf::Jump&) const { return {}; }
  Effect operator()(const bpf::JumpIf& jump) const {
    return {either(bit(jump.dst), bit(jump.src)), 0};
  }
  Effect operator()(const bpf::CallHelper&) const {
    return {kArguments, either(kArguments, bit(bpf::kR0))};
  }
  Effect operator()(const bpf::CallSubprogram&) const {
    return {kArguments, either(kArguments, bit(bpf::kR0))};
  }
  Effect operator()(const bpf::CallExtern&) const {
    return {kArguments, either(kArguments, bit(bpf::kR0))};
  }
  Effect operator()(const bpf::Exit&) const { return {bit(bpf::kR0), 0}; }
};

bool falls_through(const bpf::Instruction& instruction) {
  return !std::holds_alternative<bpf::Jump>(instruction) &&
         !std::holds_alternative<bpf::Exit>(instruction);
}

}  // namespace

std::vector<std::uint16_t> live_registers(std::span<const bpf::Instruction> program) {
  const auto count = static_cast<std::uint32_t>(program.size());
  std::vector<Mask> live(count, 0);
  std::vector<std::vector<std::uint32_t>> sources(count);  // from where an instruction is jumped to
  std::vector<std::uint32_t> pending;  // taken from the end: most programs need one pass
  for (std::uint32_t i = 0; i < count; ++i) {
    if (const auto target = bpf::jump_target(program[i])) sources[*target].push_back(i);
    pending.push_back(i);
  }
  while (!pending.empty()) {
    const std::uint32_t i = pending.back();
    pending.pop_back();
    const auto target = bpf::jump_target(program[i]);
    Mask after = target ? live[*target] : Mask{0};
    if (falls_through(program[i]) && i + 1 < count) after |= live[i + 1];
    const Effect effect = std::visit(EffectOf{}, program[i]);
    const auto before = static_cast<Mask>((after & ~effect.writes) | effect.reads | kFramePointer);
    if (before == live[i]) continue;
    live[i] = before;
    if (i > 0 && falls_through(program[i - 1])) pending.push_back(i - 1);
    pending.insert(pending.end(), sources[i].begin(), sources[i].end());
  }
  return live;
}

}  // namespace egpu::verifier
