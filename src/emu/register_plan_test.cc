#include "emu/register_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emu/control.h"
#include "emu/liveness.h"
#include "emu/test_kernel.h"

namespace egpu::emu {
namespace {

void nothing(Warp&, const Op&, Mask) {}

// Instructions of one Op each: what they read and write, by register number.
struct Line {
  std::vector<std::uint32_t> reads;
  std::vector<std::uint32_t> writes;
  Op op{.handler = nothing};
  bool guarded = false;
};

struct Function {
  Code code;
  RegisterUses uses;
};

Function function_of(const std::vector<Line>& lines, std::uint32_t registers) {
  Function function;
  function.uses.bits.assign(registers, 32);
  for (const Line& line : lines) {
    const auto op = static_cast<std::uint32_t>(function.code.ops.size());
    InstructionTouches touches{.first_op = op, .end_op = op + 1, .guarded = line.guarded};
    for (const std::uint32_t number : line.reads) touches.registers.push_back({number, false});
    for (const std::uint32_t number : line.writes) touches.registers.push_back({number, true});
    function.uses.instructions.push_back(touches);
    function.code.ops.push_back(line.op);
  }
  return function;
}

TEST(Liveness, ReachesFromTheWriteToTheLastRead) {
  const Function f = function_of({{{}, {0}}, {{}, {1}}, {{0}, {2}}, {{1, 2}, {}}}, 3);
  const auto intervals = intervals_of(f.code, f.uses);
  EXPECT_EQ(intervals[0].first, 0U);
  EXPECT_EQ(intervals[0].last, 2U);
  EXPECT_EQ(intervals[1].last, 3U);
  EXPECT_EQ(intervals[2].first, 2U);
}

TEST(Liveness, GoesAroundLoops) {
  // 0: r0 =   1: r1 =   2: = r0   3: r2 =   4: branch to 1   5: end
  const Function f = function_of({{{}, {0}},
                                  {{}, {1}},
                                  {{0, 1}, {}},
                                  {{}, {2}},
                                  {{2}, {}, {.handler = branch_if, .immediate = -3}},
                                  {{}, {}, {.handler = return_from}}},
                                 3);
  const auto intervals = intervals_of(f.code, f.uses);
  EXPECT_EQ(intervals[0].last, 4U) << "read again in the next round";
  EXPECT_EQ(intervals[1].last, 2U) << "written anew in the next round";
}

TEST(Liveness, AGuardedWriteKeepsTheOldValue) {
  const Function f =
      function_of({{{}, {0}}, {{}, {1}}, {{}, {0}, {.handler = nothing}, true}, {{0}, {}}}, 2);
  EXPECT_EQ(intervals_of(f.code, f.uses)[0].first, 0U);
}

TEST(RegisterPlan, SharesSlotsOfWhatIsNeverNeededTogether) {
  // r1 = r0; r2 = r1; r3 = r2: each result may take the place of the one before the last.
  const Function f = function_of({{{}, {0}}, {{0}, {1}}, {{1}, {2}}, {{2}, {3}}, {{3}, {}}}, 4);
  const RegisterPlan plan = plan_registers(f.code, f.uses);
  EXPECT_NE(plan.slots[0], plan.slots[1]) << "an instruction may write before it has read";
  EXPECT_EQ(plan.slots[0], plan.slots[2]);
  EXPECT_EQ(plan.slots[1], plan.slots[3]);
  EXPECT_EQ(plan.bytes, 256U);
}

TEST(RegisterPlan, KeepsWidthsApart) {
  Function f = function_of({{{}, {0}}, {{0}, {}}, {{}, {1}}, {{1}, {}}}, 2);
  f.uses.bits[1] = 64;
  EXPECT_EQ(plan_registers(f.code, f.uses).bytes, 128U + 256U);
}

// A kernel with many registers: sums of i * tid, each in a register of its own, some under guards
// and in branches that lanes take differently.
TEST(RegisterPlan, LargeKernelsComputeTheSame) {
  constexpr int kSteps = 600;
  std::string body;
  for (int i = 1; i <= kSteps; ++i) {
    body += fmt::format("mad.lo.u32 %r{0}, %t, {0}, %r{1};\n", i, i - 1);
    if (i % 50 != 0) continue;
    body += fmt::format(
        "and.b32 %q{0}, %t, {1};\n"
        "setp.ne.u32 %p{0}, %q{0}, 0;\n"
        "@%p{0} bra L{0};\n"
        "add.u32 %r{0}, %r{0}, 1000;\nL{0}:\n"
        "@%p{0} add.u32 %r{0}, %r{0}, %t;\n",
        i, i / 50);
  }
  TestKernel kernel(
      ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<700>, %q<700>, %t;\n"
      ".reg .pred %p<700>;\n.reg .b64 %rd<4>;\nmov.u32 %t, %tid.x;\n"
      "mov.u32 %r0, 0;\n" +
      body +
      "ld.param.u64 %rd1, [out];\nmul.wide.u32 %rd2, %t, 4;\n"
      "add.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r600;\nret;\n}");
  const auto out = kernel.buffer<std::uint32_t>(64);
  ASSERT_EQ(kernel.run({.block = {64, 1, 1}}, out), std::nullopt);
  const auto values = kernel.read(out);
  for (std::uint32_t thread = 0; thread < 64; ++thread) {
    std::uint32_t expected = 0;
    for (std::uint32_t i = 1; i <= kSteps; ++i) {
      expected += thread * i;
      if (i % 50 == 0) expected += (thread & (i / 50)) != 0 ? thread : 1000;
    }
    EXPECT_EQ(values[thread], expected);
  }
}

}  // namespace
}  // namespace egpu::emu
