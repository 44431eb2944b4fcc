// What one warp instruction costs: a loop with sixteen of them, less an empty loop's share.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>

#include "emu/launch.h"
#include "emu/module.h"
#include "ptx/parser.h"

namespace egpu::emu {
namespace {

constexpr int kLoops = 1000;
constexpr int kCopies = 16;
constexpr std::uint64_t kBytes = 1 << 20;

struct Case {
  const char* name;
  const char* instruction;
  std::uint32_t threads = 32;
};

// %a: consecutive global addresses of 4 bytes, %b of 8, %v of 16; %u: one for all lanes; %x: 132
// bytes apart. %s, %w, %y: the same in shared memory as %a, %u, %x. %c: other lanes, at random.
std::string text_of(const char* instruction) {
  std::string text = R"(.version 8.7
.target sm_90a
.address_size 64
.shared .align 16 .b8 buffer[8192];
.visible .entry k(.param .u64 in) {
    .reg .pred %p<4>;
    .reg .b32 %r<9>, %n, %i, %s, %w, %y, %c;
    .reg .b64 %d<9>, %a, %b, %v, %u, %x, %g;
    .reg .f32 %f<9>;
    .reg .f64 %e<9>;
    ld.param.u64 %u, [in];
    mov.u32 %i, %tid.x;
    mad.wide.u32 %a, %i, 4, %u;
    mad.wide.u32 %b, %i, 8, %u;
    mad.wide.u32 %v, %i, 16, %u;
    mad.wide.u32 %x, %i, 132, %u;
    mov.u32 %w, buffer;
    mad.lo.u32 %s, %i, 4, %w;
    mad.lo.u32 %y, %i, 132, %w;
    cvta.shared.u64 %g, buffer;
    mul.lo.u32 %c, %i, 13;
    mov.u32 %n, )" + std::to_string(kLoops) +
                     ";\nagain:\n";
  for (int i = 0; i < kCopies; ++i) text.append("    ").append(instruction).append("\n");
  text += R"(
    sub.u32 %n, %n, 1;
    setp.ne.u32 %p1, %n, 0;
    @%p1 bra again;
    ret;
})";
  return text;
}

void instruction(benchmark::State& state, const Case& which) {
  Memory memory(kBytes * 2);
  const auto parsed = ptx::parse(text_of(which.instruction), "benchmark.ptx");
  if (!parsed) return state.SkipWithError(to_string(parsed.error()).c_str());
  const auto module = Module::load(*parsed, memory);
  if (!module) return state.SkipWithError(to_string(module.error()).c_str());
  const auto kernel = (*module)->kernel("k");
  if (!kernel) return state.SkipWithError(to_string(kernel.error()).c_str());
  const std::uint64_t in = memory.allocate(kBytes);
  std::vector<std::byte> parameters(sizeof in);
  std::memcpy(parameters.data(), &in, sizeof in);
  const LaunchConfig config{.block = {which.threads, 1, 1}, .parameters = parameters};
  for ([[maybe_unused]] auto _ : state) {
    const auto fault = launch(**kernel, memory, {}, config);
    if (fault) return state.SkipWithError(to_string(*fault).c_str());
  }
  const double executed = static_cast<double>(state.iterations()) * kLoops * kCopies;
  state.counters["each"] =
      benchmark::Counter(executed, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

constexpr Case kCases[] = {
    {"empty", ""},
    {"ld.global.f32", "ld.global.f32 %f1, [%a];"},
    {"ld.global.f32, 31 lanes", "ld.global.f32 %f1, [%a];", 31},
    {"ld.global.f32, 1 lane", "ld.global.f32 %f1, [%a];", 1},
    {"ld.global.f32, broadcast", "ld.global.f32 %f1, [%u];"},
    {"ld.global.f32, 132 bytes apart", "ld.global.f32 %f1, [%x];"},
    {"ld.global.f64", "ld.global.f64 %e1, [%b];"},
    {"ld.global.v2.f32", "ld.global.v2.f32 {%f1, %f2}, [%b];"},
    {"ld.global.v4.f32", "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%v];"},
    {"ld.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32 %r1, [%a];"},
    {"ld.f32", "ld.f32 %f1, [%a];"},
    {"st.global.f32", "st.global.f32 [%a], %f1;"},
    {"st.global.f32, 31 lanes", "st.global.f32 [%a], %f1;", 31},
    {"st.global.f32, 1 lane", "st.global.f32 [%a], %f1;", 1},
    {"st.global.f32, 132 bytes apart", "st.global.f32 [%x], %f1;"},
    {"st.global.v4.f32", "st.global.v4.f32 [%v], {%f1, %f2, %f3, %f4};"},
    {"ld.shared.f32", "ld.shared.f32 %f1, [%s];"},
    {"ld.shared.f32, broadcast", "ld.shared.f32 %f1, [%w];"},
    {"ld.shared.f32, 132 bytes apart", "ld.shared.f32 %f1, [%y];"},
    {"st.shared.f32", "st.shared.f32 [%s], %f1;"},
    {"atom.global.add.u32, one address", "atom.global.add.u32 %r1, [%u], 1;"},
    {"red.global.add.f32, one address", "red.global.add.f32 [%u], %f1;"},
    {"atom.global.add.u32", "atom.global.add.u32 %r1, [%a], 1;"},
    {"atom.global.add.f32", "atom.global.add.f32 %f1, [%a], %f2;"},
    {"atom.shared.add.u32, one address", "atom.shared.add.u32 %r1, [%w], 1;"},
    {"atom.shared.add.u32", "atom.shared.add.u32 %r1, [%s], 1;"},
    {"red.shared.add.u32, 132 bytes apart", "red.shared.add.u32 [%y], 1;"},
    {"shfl.sync.bfly.b32", "shfl.sync.bfly.b32 %r1, %r2, 16, 31, -1;"},
    {"shfl.sync.idx.b32", "shfl.sync.idx.b32 %r1, %r2, %c, 31, -1;"},
    {"shfl.sync.down.b32, predicate", "shfl.sync.down.b32 %r1|%p2, %r2, 3, 31, -1;"},
    {"vote.sync.ballot.b32", "vote.sync.ballot.b32 %r1, %p2, -1;"},
    {"match.any.sync.b32, 32 values", "match.any.sync.b32 %r1, %c, -1;"},
    {"redux.sync.add.u32", "redux.sync.add.u32 %r1, %r2, -1;"},
    {"cp.async.cg 16 bytes", "cp.async.cg.shared.global [buffer], [%v], 16;"},
};

// NOLINTNEXTLINE(bugprone-throwing-static-initialization): without its benchmarks it is of no use
[[maybe_unused]] const bool kRegistered = [] {
  for (const Case& which : kCases) benchmark::RegisterBenchmark(which.name, instruction, which);
  return true;
}();

}  // namespace
}  // namespace egpu::emu
