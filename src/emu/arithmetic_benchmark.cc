// What one instruction costs a full warp: a loop over a thousand of the same. Counted per warp
// instruction, the executor's own step included.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "emu/launch.h"
#include "emu/module.h"
#include "ptx/parser.h"

namespace egpu::emu {
namespace {

constexpr int kInstructions = 1000;
constexpr int kIterations = 100;

std::string kernel_of(const std::string& instruction) {
  std::string text = R"(.version 8.7
.target sm_90a
.address_size 64
.visible .entry k() {
  .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %q<4>;
  .reg .f32 %f<4>; .reg .f64 %d<4>; .reg .b32 %i; .reg .pred %more; .reg .pred %odd;
  mov.u32 %i, 0;
  mov.u32 %r1, %tid.x; mov.u32 %r2, 3; mov.u32 %r3, 5;
  mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f3F800001; mov.f32 %f3, 0f3F000000;
  mov.f64 %d1, 0d3FF0000000000000; mov.f64 %d2, 0d3FF0000000000001;
  mov.u64 %q1, 7; mov.u64 %q2, 9; mov.u64 %q3, 11;
  mov.b16 %h1, 0x3c00; mov.b16 %h2, 0x3c01; mov.b16 %h3, 0x3c02;
  setp.lt.u32 %odd, %r1, 16;
LOOP:
)";
  for (int i = 0; i < kInstructions; ++i) text += instruction + ";\n";
  return text + R"(
  add.u32 %i, %i, 1;
  setp.lt.u32 %more, %i, )" +
         std::to_string(kIterations) + ";\n@%more bra LOOP;\nret;\n}\n";
}

void run(benchmark::State& state, const std::string& instruction) {
  Memory memory(std::uint64_t{1} << 20);
  const auto parsed = ptx::parse(kernel_of(instruction), "benchmark.ptx");
  if (!parsed) return state.SkipWithError(to_string(parsed.error()).c_str());
  const auto module = Module::load(*parsed, memory);
  if (!module) return state.SkipWithError(to_string(module.error()).c_str());
  const auto kernel = (*module)->kernel("k");
  if (!kernel) return state.SkipWithError(to_string(kernel.error()).c_str());
  const LaunchConfig config{.block = {32, 1, 1}};
  for ([[maybe_unused]] auto _ : state)
    if (const auto fault = launch(**kernel, memory, {}, config))
      return state.SkipWithError(to_string(*fault).c_str());
  state.counters["warp_instruction"] = benchmark::Counter(
      double{kInstructions} * kIterations,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// NOLINTNEXTLINE(bugprone-throwing-static-initialization): without its benchmarks it is of no use
[[maybe_unused]] const bool kRegistered = [] {
  for (const char* instruction : {"add.f32 %f0, %f1, %f2",
                                  "fma.rn.f32 %f0, %f1, %f2, %f3",
                                  "add.rz.f32 %f0, %f1, %f2",
                                  "fma.rn.ftz.f32 %f0, %f1, %f2, %f3",
                                  "div.rn.f32 %f0, %f1, %f2",
                                  "add.f64 %d0, %d1, %d2",
                                  "fma.rn.f64 %d0, %d1, %d2, %d1",
                                  "max.f32 %f0, %f1, %f2",
                                  "add.s32 %r0, %r1, %r2",
                                  "@%odd add.s32 %r0, %r1, %r2",
                                  "mad.lo.s32 %r0, %r1, %r2, %r3",
                                  "mul.wide.s32 %q0, %r1, %r2",
                                  "mad.wide.s32 %q0, %r1, %r2, %q1",
                                  "add.s64 %q0, %q1, %q2",
                                  "mul.lo.u64 %q0, %q1, %q2",
                                  "mul.hi.u32 %r0, %r1, %r2",
                                  "div.u32 %r0, %r1, %r2",
                                  "rem.u64 %q0, %q1, %q2",
                                  "shl.b32 %r0, %r1, %r2",
                                  "shr.s32 %r0, %r1, 7",
                                  "shf.l.wrap.b32 %r0, %r1, %r2, %r3",
                                  "lop3.b32 %r0, %r1, %r2, %r3, 0x96",
                                  "prmt.b32 %r0, %r1, %r2, 0x5410",
                                  "bfe.u32 %r0, %r1, 3, 5",
                                  "popc.b32 %r0, %r1",
                                  "setp.lt.s32 %p0, %r1, %r2",
                                  "setp.lt.u64 %p0, %q1, %q2",
                                  "setp.lt.f32 %p0, %f1, %f2",
                                  "@%odd setp.lt.s32 %p0, %r1, %r2",
                                  "selp.b32 %r0, %r1, %r2, %odd",
                                  "mov.b32 %r0, %r1",
                                  "mov.b64 %q0, {%r1, %r2}",
                                  "mov.b64 {%r0, %r1}, %q1",
                                  "cvt.u64.u32 %q0, %r1",
                                  "cvt.rn.f32.s32 %f0, %r1",
                                  "cvt.rzi.s32.f32 %r0, %f1",
                                  "cvt.rn.f16.f32 %h0, %f1",
                                  "cvt.f32.f16 %f0, %h1",
                                  "fma.rn.f16 %h0, %h1, %h2, %h3",
                                  "fma.rn.f16x2 %r0, %r1, %r2, %r3",
                                  "fma.rn.bf16x2 %r0, %r1, %r2, %r3",
                                  "ex2.approx.ftz.f32 %f0, %f1",
                                  "sin.approx.f32 %f0, %f1",
                                  "lg2.approx.f32 %f0, %f1",
                                  "rsqrt.approx.f32 %f0, %f1",
                                  "add.cc.u32 %r0, %r1, %r2",
                                  "addc.u32 %r0, %r1, %r2"})
    benchmark::RegisterBenchmark(
        instruction, [instruction](benchmark::State& state) { run(state, instruction); });
  return true;
}();

}  // namespace
}  // namespace egpu::emu
