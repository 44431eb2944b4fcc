// Thread instructions a second on one core: convergent code (vec_add, a matrix product by way of
// shared memory), divergent code (lanes of a warp take different ways and run different times),
// and calls. Each checks its results: a failed kernel looks fast.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstring>

#include "emu/launch.h"
#include "emu/memory.h"
#include "emu/module.h"
#include "ptx/parser.h"

namespace egpu::emu {
namespace {

constexpr std::string_view kHeader = ".version 8.7\n.target sm_90a\n.address_size 64\n";

class Program {
 public:
  explicit Program(std::string_view text) {
    if (auto loaded = load(text); !loaded) error_ = to_string(loaded.error());
  }

  template <class T>
  T* allocate(std::size_t count) {
    return reinterpret_cast<T*>(memory_.allocate(count * sizeof(T)));  // NOLINT
  }

  // False, and the benchmark is skipped, where it fails.
  template <class... A>
  bool run(benchmark::State& state, LaunchConfig config, A... arguments) {
    const std::array<std::uint64_t, sizeof...(A)> parameters{
        reinterpret_cast<std::uint64_t>(arguments)...};
    config.parameters = std::as_bytes(std::span(parameters));
    if (kernel_ != nullptr) {
      const auto fault = launch(*kernel_, memory_, device_, config);
      if (!fault) return true;
      error_ = to_string(*fault);
    }
    state.SkipWithError(error_.c_str());
    return false;
  }

 private:
  Result<void> load(std::string_view text) {
    EGPU_ASSIGN(const ptx::Module parsed,
                ptx::parse(std::string(kHeader).append(text), "benchmark.ptx"));
    EGPU_ASSIGN(module_, Module::load(parsed, memory_));
    EGPU_ASSIGN(kernel_, module_->kernel("k"));
    return {};
  }

  Memory memory_{std::uint64_t{1} << 30};
  DeviceShape device_;
  std::unique_ptr<Module> module_;
  const Kernel* kernel_ = nullptr;
  std::string error_;
};

void count(benchmark::State& state, std::uint64_t instructions_of_launch) {
  state.counters["thread_instructions"] =
      benchmark::Counter(static_cast<double>(instructions_of_launch * state.iterations()),
                         benchmark::Counter::kIsRate);
}

void vec_add(benchmark::State& state) {
  Program program(R"(
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) {
  .reg .b64 %rd<11>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r2, %r1, %r3;
  setp.ge.s32 %p1, %r4, 1048576;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd4, %rd1;
  mul.wide.s32 %rd5, %r4, 4;
  add.s64 %rd6, %rd4, %rd5;
  cvta.to.global.u64 %rd7, %rd2;
  add.s64 %rd8, %rd7, %rd5;
  ld.global.f32 %f1, [%rd8];
  ld.global.f32 %f2, [%rd6];
  add.f32 %f3, %f2, %f1;
  cvta.to.global.u64 %rd9, %rd3;
  add.s64 %rd10, %rd9, %rd5;
  st.global.f32 [%rd10], %f3;
DONE:
  ret;
})");
  constexpr std::uint32_t kCount = 1 << 20;
  constexpr std::uint64_t kInstructions = 21;
  auto* const a = program.allocate<float>(kCount);
  auto* const b = program.allocate<float>(kCount);
  auto* const c = program.allocate<float>(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 1;
  }
  for ([[maybe_unused]] auto _ : state)
    if (!program.run(state, {.grid = {kCount / 256, 1, 1}, .block = {256, 1, 1}}, a, b, c)) return;
  if (c[kCount - 1] != kCount) return state.SkipWithError("the sum is wrong");
  count(state, kCount * kInstructions);
}
BENCHMARK(vec_add)->Unit(benchmark::kMillisecond);

// C = A * B, 16 x 16 tiles in shared memory.
void matrix_product(benchmark::State& state) {
  constexpr std::uint32_t kSize = 256;
  constexpr std::uint32_t kTile = 16;
  std::string inner;
  for (std::uint32_t i = 0; i < kTile; ++i)
    inner += fmt::format(
        "ld.shared.f32 %f1, [%r10+{}];\nld.shared.f32 %f2, [%r11+{}];\n"
        "fma.rn.f32 %f3, %f1, %f2, %f3;\n",
        i * 4, i * kTile * 4);
  Program program(R"(
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) {
  .reg .b64 %rd<20>;
  .reg .b32 %r<30>;
  .reg .f32 %f<9>;
  .reg .pred %p<2>;
  .shared .align 4 .b8 left[1024];
  .shared .align 4 .b8 right[1024];
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ctaid.y;
  mad.lo.u32 %r5, %r4, 16, %r2;
  mad.lo.u32 %r6, %r3, 16, %r1;
  mad.lo.u32 %r7, %r5, 256, %r1;
  mad.lo.u32 %r8, %r2, 256, %r6;
  mul.wide.u32 %rd4, %r7, 4;
  add.u64 %rd4, %rd4, %rd1;
  mul.wide.u32 %rd5, %r8, 4;
  add.u64 %rd5, %rd5, %rd2;
  mov.u32 %r20, left;
  mov.u32 %r21, right;
  mad.lo.u32 %r10, %r2, 64, %r20;
  mad.lo.u32 %r11, %r1, 4, %r21;
  mad.lo.u32 %r12, %r1, 4, %r10;
  mad.lo.u32 %r13, %r2, 64, %r11;
  mov.f32 %f3, 0f00000000;
  mov.u32 %r14, 0;
LOOP:
  ld.global.f32 %f4, [%rd4];
  st.shared.f32 [%r12], %f4;
  ld.global.f32 %f5, [%rd5];
  st.shared.f32 [%r13], %f5;
  bar.sync 0;
)" + inner + R"(
  bar.sync 0;
  add.u64 %rd4, %rd4, 64;
  add.u64 %rd5, %rd5, 16384;
  add.u32 %r14, %r14, 1;
  setp.lt.u32 %p1, %r14, 16;
  @%p1 bra LOOP;
  mad.lo.u32 %r15, %r5, 256, %r6;
  mul.wide.u32 %rd6, %r15, 4;
  add.u64 %rd6, %rd6, %rd3;
  st.global.f32 [%rd6], %f3;
  ret;
})");
  constexpr std::uint64_t kElements = std::uint64_t{kSize} * kSize;
  auto* const a = program.allocate<float>(kElements);
  auto* const b = program.allocate<float>(kElements);
  auto* const c = program.allocate<float>(kElements);
  for (std::uint64_t i = 0; i < kElements; ++i) a[i] = b[i] = 1;
  for ([[maybe_unused]] auto _ : state)
    if (!program.run(state, {.grid = {16, 16, 1}, .block = {kTile, kTile, 1}}, a, b, c)) return;
  if (c[kElements - 1] != kSize) return state.SkipWithError("the product is wrong");
  count(state, kElements * (28 + std::uint64_t{16} * (5 + 48 + 6)));
}
BENCHMARK(matrix_product)->Unit(benchmark::kMillisecond);

// Collatz sequences: each lane takes its own way through the loop, and its own number of rounds.
void collatz(benchmark::State& state) {
  Program program(R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<5>;
  .reg .b32 %r<9>;
  .reg .pred %p<4>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r3, %r2, 256, %r1;
  add.u32 %r4, %r3, 1;
  mov.u32 %r5, 0;
LOOP:
  setp.eq.u32 %p1, %r4, 1;
  @%p1 bra DONE;
  add.u32 %r5, %r5, 1;
  and.b32 %r6, %r4, 1;
  setp.eq.u32 %p2, %r6, 0;
  @%p2 bra EVEN;
  mad.lo.u32 %r4, %r4, 3, 1;
  bra LOOP;
EVEN:
  shr.u32 %r4, %r4, 1;
  bra LOOP;
DONE:
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r3, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r5;
  ret;
})");
  constexpr std::uint32_t kCount = 1 << 14;
  auto* const out = program.allocate<std::uint32_t>(kCount);
  for ([[maybe_unused]] auto _ : state)
    if (!program.run(state, {.grid = {kCount / 256, 1, 1}, .block = {256, 1, 1}}, out)) return;
  std::uint64_t rounds = 0;
  for (std::uint32_t i = 0; i < kCount; ++i) rounds += out[i];
  if (out[26] != 111) return state.SkipWithError("the sequence of 27 is wrong");
  count(state, rounds * 8 + kCount * std::uint64_t{12});
}
BENCHMARK(collatz)->Unit(benchmark::kMillisecond);

// A device function in a loop.
void calls(benchmark::State& state) {
  Program program(R"(
.func (.param .b32 result) f(.param .b32 a, .param .b32 b) {
  .reg .b32 %r<4>;
  ld.param.u32 %r1, [a];
  ld.param.u32 %r2, [b];
  add.u32 %r3, %r1, %r2;
  st.param.b32 [result], %r3;
  ret;
}
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<5>;
  .reg .b32 %r<9>;
  .reg .pred %p<4>;
  mov.u32 %r1, 0;
  mov.u32 %r2, 0;
LOOP:
  { .param .b32 a; .param .b32 b; .param .b32 c;
    st.param.b32 [a], %r1;
    st.param.b32 [b], %r2;
    call.uni (c), f, (a, b);
    ld.param.b32 %r1, [c];
  }
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 100;
  @%p1 bra LOOP;
  ld.param.u64 %rd1, [out];
  st.global.u32 [%rd1], %r1;
  ret;
})");
  auto* const out = program.allocate<std::uint32_t>(1);
  constexpr std::uint32_t kThreads = 1 << 14;
  for ([[maybe_unused]] auto _ : state)
    if (!program.run(state, {.grid = {kThreads / 256, 1, 1}, .block = {256, 1, 1}}, out)) return;
  if (*out != 4950) return state.SkipWithError("the sum is wrong");
  count(state, kThreads * std::uint64_t{100} * 12);
}
BENCHMARK(calls)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace egpu::emu
