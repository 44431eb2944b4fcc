#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "emu/memory_test_kernel.h"

namespace egpu::emu {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Runs `body`, which leaves a result of each thread in %r5; the input is one number for each.
std::vector<std::uint32_t> results_of(std::string_view body, std::uint32_t threads = 32,
                                      const std::vector<std::uint32_t>& input = {}) {
  std::string text = R"(
    mul.wide.u32 %d0, %t, 4;
    add.u64 %d1, %in, %d0;
    add.u64 %d2, %out, %d0;
    ld.global.u32 %r4, [%d1];
    mov.u32 %r5, 0xdead;
)";
  text += body;
  text += "\n    st.global.u32 [%d2], %r5;\n";
  TestKernel kernel(around(text));
  std::vector<std::uint32_t> values = input;
  if (values.empty()) {
    values.resize(threads);
    std::iota(values.begin(), values.end(), 100);
  }
  const auto in = kernel.buffer(values);
  const auto out = kernel.buffer<std::uint32_t>(threads);
  const auto fault = kernel.run({.block = {threads, 1, 1}}, in, out);
  EXPECT_EQ(fault, std::nullopt);
  return kernel.read(out);
}

template <class F>
std::vector<std::uint32_t> each(std::uint32_t threads, F&& f) {
  std::vector<std::uint32_t> values(threads);
  for (std::uint32_t i = 0; i < threads; ++i) values[i] = f(i);
  return values;
}

TEST(Shuffle, MovesValuesBetweenLanes) {
  EXPECT_EQ(results_of("shfl.sync.up.b32 %r5, %r4, 3, 0, -1;"),
            each(32, [](auto i) { return 100 + (i < 3 ? i : i - 3); }));
  EXPECT_EQ(results_of("shfl.sync.down.b32 %r5, %r4, 3, 31, -1;"),
            each(32, [](auto i) { return 100 + (i > 28 ? i : i + 3); }));
  EXPECT_EQ(results_of("shfl.sync.bfly.b32 %r5, %r4, 5, 31, -1;"),
            each(32, [](auto i) { return 100 + (i ^ 5); }));
  EXPECT_EQ(results_of("shfl.sync.idx.b32 %r5, %r4, 7, 31, -1;"),
            each(32, [](auto) { return 107U; }));
  EXPECT_EQ(results_of("mul.lo.u32 %r6, %t, 5; shfl.sync.idx.b32 %r5, %r4, %r6, 31, -1;"),
            each(32, [](auto i) { return 100 + i * 5 % 32; }));
}

// Segments of eight lanes, as __shfl_*_sync(..., 8) makes them.
TEST(Shuffle, StaysInsideTheSegment) {
  EXPECT_EQ(results_of("shfl.sync.up.b32 %r5, %r4, 3, 0x1800, -1;"),
            each(32, [](auto i) { return 100 + (i % 8 < 3 ? i : i - 3); }));
  EXPECT_EQ(results_of("shfl.sync.down.b32 %r5, %r4, 3, 0x181f, -1;"),
            each(32, [](auto i) { return 100 + (i % 8 > 4 ? i : i + 3); }));
  EXPECT_EQ(results_of("shfl.sync.idx.b32 %r5, %r4, 11, 0x181f, -1;"),
            each(32, [](auto i) { return 100 + i / 8 * 8 + 3; }));
  EXPECT_EQ(results_of("shfl.sync.bfly.b32 %r5, %r4, 12, 0x181f, -1;"),
            each(32, [](auto i) { return 100 + (i % 16 >= 8 ? i ^ 12 : i); }));
}

TEST(Shuffle, TellsWhetherTheSourceIsInTheSegment) {
  EXPECT_EQ(results_of("shfl.sync.up.b32 %r6|%p1, %r4, 3, 0, -1; selp.u32 %r5, 1, 0, %p1;"),
            each(32, [](auto i) { return i < 3 ? 0U : 1U; }));
  EXPECT_EQ(results_of("shfl.sync.down.b32 %r6|%p1, %r4, 3, 31, -1; selp.u32 %r5, 1, 0, %p1;"),
            each(32, [](auto i) { return i > 28 ? 0U : 1U; }));
}

TEST(Shuffle, WorksWithoutSync) {
  EXPECT_EQ(results_of("shfl.bfly.b32 %r5|%p1, %r4, 1, 31;"),
            each(32, [](auto i) { return 100 + (i ^ 1); }));
}

TEST(Shuffle, MayOverwriteItsSource) {
  EXPECT_EQ(results_of("shfl.sync.bfly.b32 %r4, %r4, 1, 31, -1; mov.u32 %r5, %r4;"),
            each(32, [](auto i) { return 100 + (i ^ 1); }));
}

// The sum of a warp, as every reduction does it.
TEST(Shuffle, ReducesAWarp) {
  EXPECT_THAT(results_of(R"(
    shfl.sync.bfly.b32 %r6, %r4, 16, 31, -1; add.u32 %r4, %r4, %r6;
    shfl.sync.bfly.b32 %r6, %r4, 8, 31, -1; add.u32 %r4, %r4, %r6;
    shfl.sync.bfly.b32 %r6, %r4, 4, 31, -1; add.u32 %r4, %r4, %r6;
    shfl.sync.bfly.b32 %r6, %r4, 2, 31, -1; add.u32 %r4, %r4, %r6;
    shfl.sync.bfly.b32 %r6, %r4, 1, 31, -1; add.u32 %r5, %r4, %r6;)"),
              Each(32U * 100 + 31 * 16));
}

// Lanes that took different ways meet at the instruction that names them.
TEST(Sync, WaitsForAllNamedLanes) {
  EXPECT_EQ(results_of(R"(
    setp.lt.u32 %p1, %t, 10;
    @%p1 bra low;
    add.u32 %r4, %r4, 1000;
    bra both;
low:
    add.u32 %r4, %r4, 2000;
    add.u32 %r4, %r4, 3000;
both:
    shfl.sync.idx.b32 %r5, %r4, 15, 31, -1;)"),
            each(32, [](auto) { return 1115U; }));
}

TEST(Sync, HalvesOfAWarpMayDiffer) {
  EXPECT_EQ(results_of(R"(
    setp.lt.u32 %p1, %t, 16;
    selp.b32 %r6, 0xffff, 0xffff0000, %p1;
    vote.sync.ballot.b32 %r5, %p1, %r6;)"),
            each(32, [](auto i) { return i < 16 ? 0xffffU : 0U; }));
}

TEST(Sync, LanesThatHaveExitedAreNotWaitedFor) {
  TestKernel kernel(around(R"(
    setp.lt.u32 %p1, %t, 5;
    @%p1 exit;
    vote.sync.ballot.b32 %r5, 1, -1;
    st.global.u32 [%out], %r5;
)"));
  const auto out = kernel.buffer<std::uint32_t>(1);
  ASSERT_EQ(kernel.run({.block = {32, 1, 1}}, out, out), std::nullopt);
  EXPECT_THAT(kernel.read(out), ElementsAre(0xffffffe0));
}

TEST(Vote, CountsActiveLanesAlone) {
  const std::string odd = "and.b32 %r6, %t, 1; setp.eq.u32 %p1, %r6, 1;\n";
  EXPECT_THAT(results_of(odd + "vote.sync.ballot.b32 %r5, %p1, -1;"), Each(0xaaaaaaaa));
  EXPECT_THAT(results_of(odd + "vote.sync.ballot.b32 %r5, !%p1, -1;"), Each(0x55555555));
  EXPECT_THAT(results_of(odd + "vote.ballot.b32 %r5, %p1;", 20), Each(0x000aaaaa));
  EXPECT_EQ(results_of(odd + "@%p1 vote.sync.ballot.b32 %r5, %p1, 0xaaaaaaaa;"),
            each(32, [](auto i) { return i % 2 == 1 ? 0xaaaaaaaaU : 0xdeadU; }));
  const std::string number = "selp.u32 %r5, 1, 0, %p2;";
  EXPECT_THAT(results_of(odd + "vote.sync.any.pred %p2, %p1, -1;" + number), Each(1));
  EXPECT_THAT(results_of(odd + "vote.sync.all.pred %p2, %p1, -1;" + number), Each(0));
  EXPECT_THAT(results_of(odd + "vote.sync.uni.pred %p2, %p1, -1;" + number), Each(0));
  const std::string none = "setp.eq.u32 %p1, %t, 99;\n";
  EXPECT_THAT(results_of(none + "vote.sync.any.pred %p2, %p1, -1;" + number), Each(0));
  EXPECT_THAT(results_of(none + "vote.sync.uni.pred %p2, %p1, -1;" + number), Each(1));
  EXPECT_THAT(results_of(none + "vote.sync.all.pred %p2, !%p1, -1;" + number), Each(1));
  EXPECT_THAT(results_of(none + "vote.all.pred %p2, !%p1;" + number), Each(1));
}

TEST(Match, FindsLanesWithTheSameValue) {
  EXPECT_EQ(results_of("and.b32 %r6, %t, 3; match.any.sync.b32 %r5, %r6, -1;"),
            each(32, [](auto i) { return 0x11111111U << i % 4; }));
  EXPECT_EQ(
      results_of("cvt.u64.u32 %d6, %t; shl.b64 %d6, %d6, 32; match.any.sync.b64 %r5, %d6, -1;"),
      each(32, [](auto i) { return 1U << i; }));
  EXPECT_THAT(results_of("mov.u32 %r6, 4; match.all.sync.b32 %r5, %r6, -1;"), Each(0xffffffff));
  EXPECT_THAT(results_of("match.all.sync.b32 %r6|%p1, %r4, -1; selp.u32 %r5, 1, %r6, %p1;"),
              Each(0));
  EXPECT_THAT(results_of("mov.u64 %d6, 4; match.all.sync.b64 %r6|%p1, %d6, -1;"
                         "selp.u32 %r5, %r6, 0, %p1;",
                         9),
              Each(0x1ff));
}

TEST(Redux, CombinesAllLanes) {
  const std::vector<std::uint32_t> values = each(32, [](auto i) { return i * 0x9e3779b9U; });
  std::uint32_t sum = 0;
  std::uint32_t most = 0;
  std::uint32_t least = ~0U;
  std::int32_t signed_most = INT32_MIN;
  std::int32_t signed_least = INT32_MAX;
  std::uint32_t all = ~0U;
  std::uint32_t any = 0;
  std::uint32_t parity = 0;
  for (const std::uint32_t value : values) {
    sum += value;
    most = std::max(most, value);
    least = std::min(least, value);
    signed_most = std::max(signed_most, static_cast<std::int32_t>(value));
    signed_least = std::min(signed_least, static_cast<std::int32_t>(value));
    all &= value;
    any |= value;
    parity ^= value;
  }
  const auto reduce = [&](std::string_view form) {
    return results_of("redux.sync." + std::string(form) + " %r5, %r4, -1;", 32, values);
  };
  EXPECT_THAT(reduce("add.u32"), Each(sum));
  EXPECT_THAT(reduce("add.s32"), Each(sum));
  EXPECT_THAT(reduce("max.u32"), Each(most));
  EXPECT_THAT(reduce("min.u32"), Each(least));
  EXPECT_THAT(reduce("max.s32"), Each(static_cast<std::uint32_t>(signed_most)));
  EXPECT_THAT(reduce("min.s32"), Each(static_cast<std::uint32_t>(signed_least)));
  EXPECT_THAT(reduce("and.b32"), Each(all));
  EXPECT_THAT(reduce("or.b32"), Each(any));
  EXPECT_THAT(reduce("xor.b32"), Each(parity));
}

TEST(Redux, KnowsFloats) {
  std::vector<std::uint32_t> values(32, std::bit_cast<std::uint32_t>(1.0F));
  values[3] = std::bit_cast<std::uint32_t>(-7.0F);
  values[9] = 0x7fc00001;  // NaN
  values[20] = std::bit_cast<std::uint32_t>(5.0F);
  const auto reduce = [&](std::string_view form) {
    return results_of(
        "mov.b32 %f4, %r4; redux.sync." + std::string(form) + " %f5, %f4, -1; mov.b32 %r5, %f5;",
        32, values);
  };
  EXPECT_THAT(reduce("min.f32"), Each(std::bit_cast<std::uint32_t>(-7.0F)));
  EXPECT_THAT(reduce("max.f32"), Each(std::bit_cast<std::uint32_t>(5.0F)));
  EXPECT_THAT(reduce("max.abs.f32"), Each(std::bit_cast<std::uint32_t>(7.0F)));
  EXPECT_THAT(reduce("min.abs.f32"), Each(std::bit_cast<std::uint32_t>(1.0F)));
  EXPECT_THAT(reduce("min.NaN.f32"), Each(0x7fffffffU));
}

TEST(ActiveMask, IsThatOfTheLanesThatRun) {
  EXPECT_THAT(results_of("activemask.b32 %r5;", 20), Each(0xfffff));
  EXPECT_EQ(results_of("setp.lt.u32 %p1, %t, 3; @%p1 activemask.b32 %r5;"),
            each(32, [](auto i) { return i < 3 ? 7U : 0xdeadU; }));
}

TEST(Elect, ChoosesOneLane) {
  EXPECT_EQ(results_of("elect.sync %r6|%p1, -1; selp.u32 %r5, 1, 0, %p1;"),
            each(32, [](auto i) { return i == 0 ? 1U : 0U; }));
  EXPECT_EQ(results_of("setp.gt.u32 %p2, %t, 4; @%p2 elect.sync %r5|%p1, 0xffffffe0;"),
            each(32, [](auto i) { return i > 4 ? 5U : 0xdeadU; }));
}

TEST(MovMatrix, Transposes) {
  // Element (row, column) is row * 8 + column.
  const auto elements = [](auto low, auto high) { return low | high << 16; };
  EXPECT_EQ(results_of("movmatrix.sync.aligned.m8n8.trans.b16 %r5, %r4;", 32,
                       each(32, [&](auto i) { return elements(i * 2, i * 2 + 1); })),
            each(32, [&](auto i) {
              const std::uint32_t row = i / 4;
              const std::uint32_t column = i % 4 * 2;
              return elements(column * 8 + row, (column + 1) * 8 + row);
            }));
}

// One lane waits for another of its warp, and sleeps.
TEST(Schedule, SleepersLetOthersRun) {
  EXPECT_THAT(results_of(R"(
    setp.eq.u32 %p1, %t, 7;
    @%p1 bra tell;
wait:
    nanosleep.u32 100;
    ld.volatile.global.u32 %r5, [%in];
    setp.ne.u32 %p2, %r5, 5;
    @%p2 bra wait;
    bra done;
tell:
    st.volatile.global.u32 [%in], 5;
    mov.u32 %r5, 5;
done:)",
                         64),
              Each(5));
}

TEST(Schedule, HintsDoNothing) {
  EXPECT_THAT(results_of(R"(
    griddepcontrol.wait;
    setmaxnreg.inc.sync.aligned.u32 64;
    pmevent 3;
    fence.acq_rel.gpu; fence.sc.sys; membar.gl; membar.cta; fence.proxy.async;
    fence.proxy.async.shared::cta; fence.mbarrier_init.release.cluster;
    griddepcontrol.launch_dependents;
    mov.u32 %r5, 1;)"),
              Each(1));
}

TEST(WarpOperations, RefusesWhatPtxDoesNotHave) {
  for (const auto& [body, message] : {
           std::pair{"shfl.sync.left.b32 %r5, %r4, 3, 0, -1;", "mode"},
           std::pair{"shfl.sync.up.b32 %r5, %r4, 3, 0;", "operands"},
           std::pair{"vote.sync.most.pred %p1, %p2, -1;", "mode"},
           std::pair{"match.any.sync.b32 %r5|%p1, %r4, -1;", "predicate"},
           std::pair{"redux.sync.mul.u32 %r5, %r4, -1;", "mul"},
           std::pair{"redux.sync.add.f32 %f5, %f4, -1;", "reduction"},
           std::pair{"nanosleep.u64 %d1;", "type"},
           std::pair{"membar.strange;", "scope"},
           std::pair{"istypep.texref %p1, %d1;", "istypep"},
           std::pair{"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r1}];", "tex"},
           std::pair{"suld.b.1d.b32.trap %r1, [%d1, {%r2}];", "suld"},
           std::pair{"multimem.red.relaxed.gpu.global.add.u32 [%d1], %r1;", "multimem"},
       }) {
    EXPECT_THAT(error_of(around(body)).message, HasSubstr(message)) << body;
  }
}

}  // namespace
}  // namespace egpu::emu
