// What checking costs: a program of 1,000 instructions in a line, one with as many in branches, one
// long loop.
#include <benchmark/benchmark.h>

#include "verifier/check.h"

namespace egpu::verifier {
namespace {

using bpf::Alu;
using bpf::AluOp;
using bpf::Exit;
using bpf::Imm;
using bpf::Instruction;
using bpf::JumpIf;
using bpf::kR0;
using bpf::kR1;
using bpf::kR2;
using bpf::kR3;
using bpf::Load;
using bpf::MemSize;
using bpf::Mov;
using bpf::Width;

constexpr std::size_t kInstructions = 1'000;

std::vector<Instruction> straight_line() {
  std::vector<Instruction> code = {Load{MemSize::k32, false, kR0, kR1, 0}};
  while (code.size() < kInstructions - 1) {
    code.push_back(Alu{AluOp::kMul, Width::k64, kR0, Imm{3}});
    code.push_back(Alu{AluOp::kAnd, Width::k64, kR0, Imm{0xfff}});
  }
  code.push_back(Exit{});
  return code;
}

std::vector<Instruction> branches() {
  std::vector<Instruction> code = {Mov{Width::k64, kR0, Imm{0}},
                                   Load{MemSize::k32, false, kR2, kR1, 0}};
  while (code.size() < kInstructions - 1) {
    const auto join = static_cast<std::uint32_t>(code.size()) + 4;
    code.push_back(Mov{Width::k64, kR3, kR2});
    code.push_back(Alu{AluOp::kAnd, Width::k64, kR3, Imm{8}});
    code.push_back(JumpIf{bpf::Condition::kEq, Width::k64, kR3, Imm{0}, join});
    code.push_back(Alu{AluOp::kAdd, Width::k64, kR3, Imm{1}});
  }
  code.push_back(Exit{});
  return code;
}

std::vector<Instruction> long_loop() {
  return {Mov{Width::k64, kR0, Imm{0}}, Alu{AluOp::kAdd, Width::k64, kR0, Imm{1}},
          JumpIf{bpf::Condition::kLt, Width::k64, kR0, Imm{4'990}, 1}, Exit{}};
}

void run_check(benchmark::State& state, std::vector<Instruction> code) {
  const bpf::Object object;
  bpf::Program program;
  program.instructions = std::move(code);
  program.slots.resize(program.instructions.size());
  program.source.resize(program.instructions.size());
  while (state.KeepRunning()) {
    auto checked = check(object, program);
    if (!checked) {
      state.SkipWithError(checked.error().message.c_str());
      return;
    }
    benchmark::DoNotOptimize(checked);
  }
}

BENCHMARK_CAPTURE(run_check, straight_line, straight_line());
BENCHMARK_CAPTURE(run_check, branches, branches());
BENCHMARK_CAPTURE(run_check, long_loop, long_loop());

}  // namespace
}  // namespace egpu::verifier
