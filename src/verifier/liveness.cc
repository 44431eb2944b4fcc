#include "verifier/liveness.h"

#include "verifier/backward_flow.h"

namespace egpu::verifier {
namespace {

constexpr RegisterSet kFramePointer = 1U << 10;  // always alive: it never changes

struct Effect {
  RegisterSet reads = 0;
  RegisterSet writes = 0;
};

RegisterSet either(RegisterSet a, RegisterSet b) { return static_cast<RegisterSet>(a | b); }

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
    const RegisterSet reads = either(bit(atomic.base), bit(atomic.src));
    if (atomic.op == bpf::AtomicOp::kCompareExchange) {
      return {either(reads, bit(bpf::kR0)), bit(bpf::kR0)};
    }
    return {reads, atomic.fetch ? bit(atomic.src) : RegisterSet{0}};
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

}  // namespace

std::vector<RegisterSet> live_registers(std::span<const bpf::Instruction> program) {
  return backward_flow<RegisterSet>(program, [program](std::size_t index, RegisterSet after) {
    const Effect effect = std::visit(EffectOf{}, program[index]);
    return static_cast<RegisterSet>((after & ~effect.writes) | effect.reads | kFramePointer);
  });
}

}  // namespace egpu::verifier
