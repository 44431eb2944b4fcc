#include "emu/test_instruction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "emu/op.h"

namespace egpu::emu {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::array<std::string_view, 4> kSourceNames = {"%a", "%b", "%c", "%e"};

// A kernel around the code, whose parameters are addresses of the result (p0) and of the sources.
class KernelText {
 public:
  explicit KernelText(std::size_t parameters) {
    text_ = ".visible .entry k(.param .u64 p0";
    for (std::size_t i = 1; i < parameters; ++i) text_ += fmt::format(", .param .u64 p{}", i);
    text_ += ") {\n";
    line(".reg .b32 %r<4>; .reg .b64 %q<2>; .reg .pred %odd");
    line(".reg .b16 %h<4>; .reg .b32 %t<4>; .reg .b64 %w<4>; .reg .b128 %x<4>; .reg .pred %p<4>");
    line("mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r0, %r1, 32, %r0");
  }

  void line(std::string_view statement) { text_ += fmt::format("{};\n", statement); }
  void declare(const LaneValues& values, std::string_view name) {
    line(fmt::format(".reg {} {}", values.type, name));
  }
  void load(const LaneValues& values, std::string_view name, std::size_t parameter) {
    point_to(values, parameter);
    const bool predicate = values.type == ".pred";
    line(fmt::format("ld.global.b{} {}, [%q1]", values.bytes * 8, predicate ? "%r1" : name));
    if (predicate) line(fmt::format("setp.ne.s32 {}, %r1, 0", name));
  }
  void store(const LaneValues& values) {
    point_to(values, 0);
    const bool predicate = values.type == ".pred";
    if (predicate) line("selp.b32 %r1, 1, 0, %d");
    line(fmt::format("st.global.b{} [%q1], {}", values.bytes * 8, predicate ? "%r1" : "%d"));
  }
  // The statements, each guarded.
  void code(std::string_view statements, std::string_view guard) {
    while (!statements.empty()) {
      const std::size_t end = std::min(statements.find(';'), statements.size());
      line(fmt::format("{} {}", guard, statements.substr(0, end)));
      statements.remove_prefix(std::min(end + 1, statements.size()));
    }
  }
  std::string finish() && { return std::move(text_) + "ret;\n}\n"; }

 private:
  // %q1 is the address of the thread's value.
  void point_to(const LaneValues& values, std::size_t parameter) {
    line(fmt::format("ld.param.u64 %q0, [p{}]; mad.wide.u32 %q1, %r0, {}, %q0", parameter,
                     values.bytes));
  }

  std::string text_;
};

std::string kernel_text(std::string_view code, const LaneValues& result,
                        const std::vector<LaneValues>& sources, bool odd_lanes) {
  KernelText text(1 + sources.size());
  text.declare(result, "%d");
  for (std::size_t i = 0; i < sources.size(); ++i) text.declare(sources[i], kSourceNames[i]);
  for (std::size_t i = 0; i < sources.size(); ++i) text.load(sources[i], kSourceNames[i], 1 + i);
  if (odd_lanes) {
    text.load(result, "%d", 0);
    text.line("and.b32 %r1, %r0, 1; setp.ne.s32 %odd, %r1, 0");
  }
  text.code(code, odd_lanes ? "@%odd" : "");
  text.store(result);
  return std::move(text).finish();
}

// `count` values, from the first on again and again.
Bytes repeated(const LaneValues& values, std::size_t count) {
  Bytes result(count * values.bytes);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = values.memory[i % values.memory.size()];
  return result;
}

// What the kernel leaves in the result's memory, which starts as `before`.
Bytes run(const std::string& text, const Bytes& before, const std::vector<LaneValues>& sources,
          std::size_t count) {
  TestKernel kernel(text);
  const auto out = kernel.buffer(before);
  std::vector<std::uint64_t> arguments = {out.address};
  for (const LaneValues& source : sources)
    arguments.push_back(kernel.buffer(repeated(source, count)).address);
  const LaunchConfig config{.grid = {static_cast<std::uint32_t>(count / kLanes), 1, 1},
                            .block = {kLanes, 1, 1}};
  arguments.resize(1 + kSourceNames.size());
  EXPECT_EQ(
      kernel.run(config, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]),
      std::nullopt)
      << text;
  return kernel.read(out);
}

}  // namespace

std::vector<std::byte> evaluate(std::string_view code, const LaneValues& result,
                                const std::vector<LaneValues>& sources) {
  const std::size_t count = sources[0].memory.size() / sources[0].bytes;
  const std::size_t padded = (count + kLanes - 1) / kLanes * kLanes;

  Bytes before(padded * result.bytes);
  for (std::size_t i = 0; i < padded; ++i)
    before[i * result.bytes] = static_cast<std::byte>(result.type == ".pred" ? i / 2 % 2 : i + 3);
  Bytes whole = run(kernel_text(code, result, sources, false), before, sources, padded);
  const Bytes odd = run(kernel_text(code, result, sources, true), before, sources, padded);
  for (std::size_t i = 0; i < odd.size(); ++i)
    EXPECT_EQ(odd[i], i / result.bytes % 2 != 0 ? whole[i] : before[i])
        << code << ": lane " << i / result.bytes << " where odd lanes alone run";
  whole.resize(count * result.bytes);
  return whole;
}

}  // namespace egpu::emu
