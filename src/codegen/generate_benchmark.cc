// From a checked program to PTX: what the first load of a module waits for. Goals: 15 ms for 100
// instructions, 300 ms for 4,000.
#include <benchmark/benchmark.h>

#include "codegen/hand_made.h"

namespace egpu::codegen {
namespace {

using namespace testing;

// A look-up, then blocks of what probes do: load, compute, branch, count. Values come from memory,
// so that nothing folds away.
Steps typical_program(std::size_t instructions) {
  Steps steps = lookup(0, 1);
  steps.push_back(bpf::Mov{Width::k64, Reg{7}, Reg{0}});
  for (std::int16_t slot = 0; steps.size() + 8 + leave().size() <= instructions; ++slot) {
    const auto offset = static_cast<std::int16_t>(8 * (slot % 16));
    const auto next = static_cast<std::uint32_t>(steps.size() + 7);
    steps.push_back({bpf::Load{MemSize::k64, false, Reg{3}, Reg{7}, offset}, Region::kMapValue});
    steps.push_back(bpf::Mov{Width::k64, Reg{4}, Reg{3}});
    steps.push_back(bpf::Alu{bpf::AluOp::kRsh, Width::k64, Reg{4}, Imm{7 + slot % 5}});
    steps.push_back(bpf::Alu{bpf::AluOp::kXor, Width::k64, Reg{3}, Reg{4}});
    steps.push_back(bpf::Alu{bpf::AluOp::kDiv, Width::k32, Reg{3}, Imm{3 + slot}});
    steps.push_back(bpf::JumpIf{bpf::Condition::kGt, Width::k64, Reg{3}, Reg{4}, next});
    steps.push_back({bpf::Atomic{bpf::AtomicOp::kAdd, false, MemSize::k64, Reg{7}, offset, Reg{3}},
                     Region::kMapValue});
    steps.push_back({bpf::Store{MemSize::k32, Reg{7}, offset, Reg{4}}, Region::kMapValue});
  }
  while (steps.size() + leave().size() < instructions)
    steps.push_back(bpf::Mov{Width::k64, Reg{5}, Imm{0}});
  return steps + leave();
}

void generate_ptx(benchmark::State& state) {
  const Input input{.maps = {array_map(128, 4)},
                    .programs = {typical_program(static_cast<std::size_t>(state.range(0)))},
                    .options = {}};
  while (state.KeepRunning()) {
    auto module = try_generate(input);
    if (!module) {
      state.SkipWithError(to_string(module.error()).c_str());
      return;
    }
    benchmark::DoNotOptimize(module->ptx);
  }
}
BENCHMARK(generate_ptx)->Arg(100)->Arg(4000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace egpu::codegen
