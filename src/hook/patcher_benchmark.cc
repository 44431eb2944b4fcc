// What a hook adds to a call, and what planning costs for a library of the driver's size.
//
// The function is the one with the driver's prologue and cuLaunchKernel's eleven arguments; the
// hook forwards them.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "hook/patcher.h"
#include "hook/planner.h"
#include "hook/testdata/elf_image.h"

// Of testdata/prologues.S, which is part of this program.
extern "C" std::uint64_t sum_driver(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                                    std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                                    std::uint64_t, std::uint64_t, std::uint64_t);

namespace egpu::hook {
namespace {

using Function = decltype(&sum_driver);
constexpr std::uint64_t kResult = 606;

Function original;
std::uint64_t forward(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d,
                      std::uint64_t e, std::uint64_t f, std::uint64_t g, std::uint64_t h,
                      std::uint64_t i, std::uint64_t j, std::uint64_t k) {
  return original(a, b, c, d, e, f, g, h, i, j, k);
}

void call(benchmark::State& state, Function function) {
  for ([[maybe_unused]] auto _ : state) {
    const std::uint64_t result = function(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    if (result != kResult) state.SkipWithError("wrong result");
  }
}

void unhooked_call(benchmark::State& state) { call(state, sum_driver); }
BENCHMARK(unhooked_call);

// This program exports its symbols, so it can be planned and hooked like a library.
PatchStatus hook_sum_driver() {
  link_map* self = nullptr;
  dlinfo(dlopen(nullptr, RTLD_NOW), RTLD_DI_LINKMAP, static_cast<void*>(&self));
  const auto plans = plan_hooks(*read_file("/proc/self/exe"), {"sum_driver"});
  return patch(plans->front(), self->l_addr, reinterpret_cast<void*>(forward),
               reinterpret_cast<void**>(&original));
}

// Runs after unhooked_call: benchmarks run in the order of their registration.
void hooked_call(benchmark::State& state) {
  static const PatchStatus status = hook_sum_driver();
  if (status != PatchStatus::kDone) return state.SkipWithError(to_string(status));
  call(state, sum_driver);
}
BENCHMARK(hooked_call);

// 23 of 682 functions in 90 MB.
void plan_a_driver(benchmark::State& state) {
  // push %rbx; push %r12; mov $imm, %eax; 4 KiB of other instructions
  std::vector<std::byte> code = {std::byte{0x53}, std::byte{0x41}, std::byte{0x54},
                                 std::byte{0xb8}};
  code.resize(4096, std::byte{0x90});
  std::vector<ImageFunction> functions(682);
  for (std::size_t i = 0; i < functions.size(); ++i)
    functions[i] = {"function_" + std::to_string(i), code};
  const auto image = build_library(functions, std::size_t{90} << 20);
  std::vector<std::string_view> wanted(23);
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = functions[i * 29].name;
  for ([[maybe_unused]] auto _ : state) {
    const auto plans = plan_hooks(image, wanted);
    if (!plans || plans->front().reason[0] != '\0') state.SkipWithError("no plan");
  }
}
BENCHMARK(plan_a_driver)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace egpu::hook
