// Megabytes of PTX text a second, on a generated module of 10 MB.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <iterator>

#include "ptx/parser.h"
#include "ptx/printer.h"

namespace {

constexpr std::size_t kBytes = 10'000'000;

const std::string& big_module() {
  static const std::string text_of_module = [] {
    std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n";
    for (int kernel = 0; text.size() < kBytes; ++kernel) {
      auto out = std::back_inserter(text);
      fmt::format_to(out, ".visible .entry kernel{0}(\n.param .u64 kernel{0}_param_0\n)\n{{\n",
                     kernel);
      text += ".reg .pred %p<99>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<99>;\n";
      for (int i = 0; i < 1000; ++i)
        fmt::format_to(out,
                       "\tld.global.nc.v2.u32 \t{{%r{0}, %r{1}}}, [%rd3+{0}];\n"
                       "\tmad.lo.s32 \t%r{1}, %r{0}, -{1}, %r2;\n"
                       "\tsetp.ge.u32 \t%p1, %r{0}, %ntid.x;\n"
                       "\t@%p1 bra \t$L__BB0_{1};\n$L__BB0_{1}:\n",
                       i, i + 1);
      text += "\tret;\n}\n";
    }
    return text;
  }();
  return text_of_module;
}

void parse_module(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    auto module = egpu::ptx::parse(big_module(), "big.ptx");
    if (!module) return state.SkipWithError(to_string(module.error()).c_str());
    benchmark::DoNotOptimize(module);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * big_module().size()));
}
BENCHMARK(parse_module)->Unit(benchmark::kMillisecond);

void print_module(benchmark::State& state) {
  const auto module = egpu::ptx::parse(big_module(), "big.ptx");
  if (!module) return state.SkipWithError(to_string(module.error()).c_str());
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(egpu::ptx::print(*module));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * big_module().size()));
}
BENCHMARK(print_module)->Unit(benchmark::kMillisecond);

}  // namespace
