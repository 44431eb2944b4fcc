// Threads of a block, a cluster and a grid that wait for each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "emu/test_kernel.h"

namespace egpu::emu {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using U32 = std::uint32_t;

// Each thread stores its number to shared memory and reads that of the last one.
constexpr std::string_view kReverse = R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<30>;
  .reg .b64 %rd<9>;
  .shared .align 4 .b8 values[4096];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, values;
  mad.lo.u32 %r3, %r1, 4, %r2;
  st.shared.u32 [%r3], %r1;
  bar.sync 0;
  mov.u32 %r4, %ntid.x;
  sub.u32 %r5, %r4, %r1;
  sub.u32 %r5, %r5, 1;
  mad.lo.u32 %r6, %r5, 4, %r2;
  ld.shared.u32 %r7, [%r6];
  mov.u32 %r8, %ctaid.x;
  mad.lo.u32 %r9, %r8, %r4, %r1;
  mad.lo.u32 %r7, %r8, 10000, %r7;
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r9, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r7;
  ret;
})";

class Workers : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(, Workers, ::testing::Values(1U, 3U));

TEST_P(Workers, BarriersOrderSharedMemory) {
  TestKernel kernel(kReverse);
  EXPECT_EQ(kernel.module().info("k")->static_shared_bytes, 4096U);
  constexpr U32 kThreads = 1000;
  constexpr U32 kBlocks = 7;
  const auto out = kernel.buffer<U32>(std::size_t{kThreads} * kBlocks);
  ASSERT_EQ(
      kernel.run({.grid = {kBlocks, 1, 1}, .block = {kThreads, 1, 1}, .workers = GetParam()}, out),
      std::nullopt);
  const auto values = kernel.read(out);
  for (U32 i = 0; i < values.size(); ++i)
    ASSERT_EQ(values[i], i / kThreads * 10000 + kThreads - 1 - i % kThreads) << i;
}

// All blocks wait until all have come.
constexpr std::string_view kGridBarrier = R"(
.global .u32 arrived;
.visible .entry k(.param .u32 blocks) {
  .reg .b32 %r<9>;
  .reg .pred %p<3>;
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra WAIT;
  atom.global.add.u32 %r2, [arrived], 1;
WAIT:
  ld.volatile.global.u32 %r3, [arrived];
  ld.param.u32 %r4, [blocks];
  setp.lt.u32 %p2, %r3, %r4;
  @%p2 bra WAIT;
  ret;
})";

TEST_P(Workers, BlocksMayWaitForLaterOnes) {
  TestKernel kernel(kGridBarrier);
  for (const bool cooperative : {false, true}) {
    U32* const arrived =
        reinterpret_cast<U32*>(kernel.module().variable("arrived")->address);  // NOLINT
    *arrived = 0;
    EXPECT_EQ(kernel.run({.grid = {20, 1, 1},
                          .block = {64, 1, 1},
                          .cooperative = cooperative,
                          .budget = 100'000'000,
                          .workers = GetParam()},
                         20),
              std::nullopt);
    EXPECT_EQ(*arrived, 20U);
  }
}

// Blocks find the memory that a cooperative launch gives its grid, and count in it.
constexpr std::string_view kGridWorkspace = R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  mov.u32 %r1, %envreg1;
  mov.u32 %r2, %envreg2;
  mov.b64 %rd1, {%r2, %r1};
  atom.add.release.gpu.u32 %r3, [%rd1 + 4], 1;
  ld.param.u64 %rd2, [out];
  mov.u32 %r4, %ctaid.x;
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd2, %rd2, %rd3;
  st.global.u32 [%rd2], %r3;
  ret;
})";

TEST_P(Workers, CooperativeLaunchesHaveMemoryForTheirGrid) {
  TestKernel kernel(kGridWorkspace);
  const auto out = kernel.buffer<U32>(20);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(kernel.run({.grid = {20, 1, 1}, .cooperative = true, .workers = GetParam()}, out),
              std::nullopt);
    auto values = kernel.read(out);
    std::ranges::sort(values);
    for (U32 block = 0; block < values.size(); ++block) EXPECT_EQ(values[block], block);
  }
  EXPECT_EQ(kernel.run({.grid = {20, 1, 1}}, out)->kind, FaultKind::kIllegalAddress);
}

std::string barrier_kernel(std::string_view body) {
  return R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<30>, %out;
  .reg .b64 %rd<9>;
  .reg .pred %p<9>;
  .shared .align 4 .b8 values[4096];
  mov.u32 %r1, %tid.x;
  mov.u32 %out, 0;
)" + std::string(body) +
         R"(
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %out;
  ret;
})";
}

std::vector<U32> outputs(std::string_view body, U32 threads = 96) {
  TestKernel kernel(barrier_kernel(body));
  const auto out = kernel.buffer<U32>(threads);
  EXPECT_EQ(kernel.run({.block = {threads, 1, 1}}, out), std::nullopt);
  return kernel.read(out);
}

TEST(Barriers, ReduceOverTheBlock) {
  EXPECT_THAT(outputs(R"(
    setp.lt.u32 %p1, %r1, 40;
    bar.red.popc.u32 %r2, 0, %p1;
    bar.red.and.pred %p2, 0, %p1;
    bar.red.or.pred %p3, 1, !%p1;
    selp.u32 %r3, 1000, 0, %p2;
    selp.u32 %r4, 100, 0, %p3;
    add.u32 %out, %r2, %r3;
    add.u32 %out, %out, %r4;)"),
              Each(140U));
}

TEST(Barriers, ProducersArriveWithoutWaiting) {
  // Warps 0 and 1 produce, warp 2 waits for all 96 threads.
  const auto values = outputs(R"(
    mov.u32 %r2, values;
    setp.ge.u32 %p1, %r1, 64;
    @%p1 bra CONSUME;
    mad.lo.u32 %r3, %r1, 4, %r2;
    st.shared.u32 [%r3], %r1;
    barrier.cta.arrive 3, 96;
    bra DONE;
CONSUME:
    barrier.cta.sync 3, 96;
    sub.u32 %r4, %r1, 64;
    mad.lo.u32 %r3, %r4, 8, %r2;
    ld.shared.u32 %r5, [%r3];
    ld.shared.u32 %r6, [%r3+4];
    add.u32 %out, %r5, %r6;
DONE:)");
  for (U32 i = 64; i < values.size(); ++i) EXPECT_EQ(values[i], 4 * (i - 64) + 1);
}

TEST(Barriers, LanesOfAWarpMayArriveAtDifferentPlaces) {
  EXPECT_THAT(outputs(R"(
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra EVEN;
    barrier.sync 0;
    mov.u32 %out, 1;
    bra DONE;
EVEN:
    barrier.sync 0;
    mov.u32 %out, 1;
DONE:
    bar.warp.sync -1;
    activemask.b32 %r9;
    popc.b32 %r9, %r9;
    add.u32 %out, %out, %r9;)"),
              Each(33U));
}

TEST(Barriers, ThreadsThatExitedAreNotWaitedFor) {
  const auto values = outputs(R"(
    setp.lt.u32 %p1, %r1, 50;
    @%p1 exit;
    bar.sync 0;
    mov.u32 %out, 1;)");
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0U), 46U);
}

TEST(Barriers, ALateExitCompletesABarrier) {
  const auto values = outputs(R"(
    setp.lt.u32 %p1, %r1, 64;
    @%p1 bra WAIT;
    mov.u32 %r2, 0;
LOOP:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, 20000;
    @%p2 bra LOOP;
    exit;
WAIT:
    bar.sync 0;
    mov.u32 %out, 1;)");
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0U), 64U);
}

TEST(Barriers, ThreadsThatNeverComeAreADeadlock) {
  TestKernel kernel(barrier_kernel(R"(
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra OTHER;
    bar.sync 0, 64;
OTHER:
    bar.sync 1, 64;)"));
  const auto fault = kernel.run({.block = {64, 1, 1}}, kernel.buffer<U32>(64));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kDeadlock);
  EXPECT_THAT(fault->place, HasSubstr("test.ptx:1"));
}

TEST(Barriers, ABarrierThatDoesNotExistIsAFault) {
  TestKernel kernel(barrier_kernel("bar.sync %r1;"));
  const auto fault = kernel.run({.block = {64, 1, 1}}, kernel.buffer<U32>(64));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kIllegalInstruction);
}

TEST(Clusters, BlocksReadEachOthersSharedMemory) {
  TestKernel kernel(R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<30>;
  .reg .b64 %rd<9>;
  .shared .align 4 .u32 value;
  mov.u32 %r1, %cluster_ctarank;
  mov.u32 %r2, %ctaid.x;
  st.shared.u32 [value], %r2;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  mov.u32 %r3, %cluster_nctarank;
  add.u32 %r4, %r1, 1;
  rem.u32 %r5, %r4, %r3;
  mov.u32 %r6, value;
  mapa.shared::cluster.u32 %r7, %r6, %r5;
  ld.shared::cluster.u32 %r8, [%r7];
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r8;
  ret;
})");
  const auto out = kernel.buffer<U32>(12);
  ASSERT_EQ(kernel.run({.grid = {12, 1, 1}, .block = {40, 1, 1}, .cluster = {4, 1, 1}}, out),
            std::nullopt);
  EXPECT_EQ(kernel.read(out), (std::vector<U32>{1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8}));
}

TEST(Launch, SpinningForeverSpendsTheBudget) {
  TestKernel kernel(".visible .entry k() {\nL: bra L;\n}");
  const auto fault = kernel.run({.block = {64, 1, 1}, .budget = 100'000});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kTimeout);
  EXPECT_EQ(fault->place, "test.ptx:5:4");
}

TEST(Launch, AStopEndsIt) {
  TestKernel kernel(".visible .entry k() {\nL: bra L;\n}");
  std::stop_source stop;
  stop.request_stop();
  const auto fault = kernel.run_until(stop.get_token(), {.grid = {9, 1, 1}, .workers = 2});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kTimeout);
}

TEST(Launch, TheFirstFaultEndsAllBlocks) {
  TestKernel kernel(R"(.visible .entry k() {
  .reg .b32 %r<3>;
  .reg .pred %p<2>;
  mov.u32 %r1, %ctaid.x;
  setp.eq.u32 %p1, %r1, 17;
  @%p1 trap;
L: bra L;
})");
  const auto fault =
      kernel.run({.grid = {20, 1, 1}, .block = {1, 1, 1}, .budget = 1'000'000'000, .workers = 2});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kTrap);
  EXPECT_EQ(fault->block, (Dim3{17, 0, 0}));
}

// What cooperative_groups::this_grid().sync() counts in.
TEST(Grid, BlocksOfACooperativeLaunchShareAWorkspace) {
  TestKernel kernel(R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %envreg1;
  mov.u32 %r2, %envreg2;
  mov.b64 %rd2, {%r2, %r1};
  setp.eq.u64 %p1, %rd2, 0;
  @%p1 bra DONE;
  atom.add.u32 %r3, [%rd2+4], 1;
  mul.wide.u32 %rd3, %r3, 4;
  add.u64 %rd4, %rd1, %rd3;
  st.global.u32 [%rd4], 1;
DONE:
  ret;
})");
  const auto out = kernel.buffer<U32>(6);
  const LaunchConfig config{.grid = {6, 1, 1}, .cooperative = true};
  EXPECT_EQ(kernel.run({.grid = {6, 1, 1}}, out), std::nullopt);
  EXPECT_THAT(kernel.read(out), Each(0U));
  const std::uint64_t allocated = kernel.memory().allocated();
  EXPECT_EQ(kernel.run(config, out), std::nullopt);
  EXPECT_THAT(kernel.read(out), Each(1U));
  EXPECT_EQ(kernel.memory().allocated(), allocated);
}

TEST(Shared, BlocksHaveReservedBytesWhereTheyAskForTheirPlace) {
  TestKernel kernel(R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<3>;
  .shared .b32 own;
  mov.u32 %r1, %reserved_smem_offset_1;
  mov.u32 %r2, %reserved_smem_offset_end;
  mov.u32 %r3, %reserved_smem_offset_cap;
  mov.u32 %r7, %dynamic_smem_size;
  ld.shared.u32 %r4, [%r1];
  st.shared.u32 [own], 5;
  st.shared.u32 [%r1], 7;
  st.shared.u32 [%r1+1020], 7;
  ld.shared.u32 %r5, [own];
  ld.param.u64 %rd1, [out];
  sub.u32 %r6, %r2, %r1;
  st.global.v4.u32 [%rd1], {%r6, %r3, %r4, %r5};
  st.global.v2.u32 [%rd1+16], {%r1, %r7};
  ret;
})");
  const auto out = kernel.buffer<U32>(6);
  EXPECT_EQ(kernel.run({.dynamic_shared_bytes = 100}, out), std::nullopt);
  EXPECT_THAT(kernel.read(out), ElementsAre(1024, 1024, 0, 5, 112, 100));
}

}  // namespace
}  // namespace egpu::emu
