#include "emu/special_registers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "emu/test_kernel.h"

namespace egpu::emu {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

// The register's value in each of `threads` threads of the grid, by their linear index.
std::vector<std::uint32_t> values(std::string_view name, const LaunchConfig& config) {
  TestKernel kernel(R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<20>;
  .reg .b64 %rd<9>;
  .shared .b8 fixed[100];
  mov.u32 %r1, %tid.z;
  mov.u32 %r2, %ntid.y;
  mov.u32 %r3, %tid.y;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mov.u32 %r5, %ntid.x;
  mov.u32 %r6, %tid.x;
  mad.lo.u32 %r7, %r4, %r5, %r6;
  mov.u32 %r8, %ctaid.x;
  mov.u32 %r9, %ntid.z;
  mul.lo.u32 %r10, %r2, %r9;
  mul.lo.u32 %r10, %r10, %r5;
  mad.lo.u32 %r11, %r8, %r10, %r7;
  mov.u32 %r12, )" + std::string(name) +
                    R"(;
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r11, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r12;
  ret;
})");
  const auto out = kernel.buffer<std::uint32_t>(std::size_t{config.grid[0]} * config.block[0] *
                                                config.block[1] * config.block[2]);
  kernel.device().multiprocessors = 3;
  EXPECT_EQ(kernel.run(config, out), std::nullopt);
  return kernel.read(out);
}

TEST(SpecialRegisters, TellWhereAThreadIs) {
  const LaunchConfig config{.grid = {5, 1, 1}, .block = {4, 5, 3}};
  const auto x = values("%tid.x", config);
  const auto y = values("%tid.y", config);
  const auto z = values("%tid.z", config);
  const auto block = values("%ctaid.x", config);
  const auto lane = values("%laneid", config);
  const auto warp = values("%warpid", config);
  const auto multiprocessor = values("%smid", config);
  for (std::uint32_t i = 0; i < 300; ++i) {
    EXPECT_EQ(x[i], i % 4);
    EXPECT_EQ(y[i], i / 4 % 5);
    EXPECT_EQ(z[i], i % 60 / 20);
    EXPECT_EQ(block[i], i / 60);
    EXPECT_EQ(lane[i], i % 60 % 32);
    EXPECT_EQ(warp[i], i % 60 / 32);
    EXPECT_EQ(multiprocessor[i], i / 60 % 3);
  }
}

TEST(SpecialRegisters, TellTheShapeOfTheLaunch) {
  LaunchConfig config{.grid = {4, 1, 1}, .block = {8, 2, 1}, .cluster = {2, 1, 1}};
  config.dynamic_shared_bytes = 50;
  config.grid_id = 77;
  EXPECT_THAT(values("%ntid.x", config), Each(8U));
  EXPECT_THAT(values("%nctaid.x", config), Each(4U));
  EXPECT_THAT(values("%nsmid", config), Each(3U));
  EXPECT_THAT(values("%gridid", config), Each(77U));
  EXPECT_THAT(values("%nclusterid.x", config), Each(2U));
  EXPECT_THAT(values("%cluster_nctarank", config), Each(2U));
  EXPECT_THAT(values("%dynamic_smem_size", config), Each(50U));
  EXPECT_THAT(values("%total_smem_size", config), Each(150U));
  const auto rank = values("%cluster_ctarank", config);
  const auto cluster = values("%clusterid.x", config);
  for (std::uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(rank[i], i / 16 % 2);
    EXPECT_EQ(cluster[i], i / 32);
  }
}

TEST(SpecialRegisters, MasksNameLanes) {
  const LaunchConfig config{.block = {32, 1, 1}};
  const auto equal = values("%lanemask_eq", config);
  const auto below = values("%lanemask_lt", config);
  const auto up_to = values("%lanemask_le", config);
  const auto above = values("%lanemask_gt", config);
  const auto from = values("%lanemask_ge", config);
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(equal[i], 1U << i);
    EXPECT_EQ(below[i], (1U << i) - 1);
    EXPECT_EQ(up_to[i], below[i] | equal[i]);
    EXPECT_EQ(above[i], ~up_to[i]);
    EXPECT_EQ(from[i], ~below[i]);
  }
}

TEST(SpecialRegisters, TimeGoesOn) {
  TestKernel kernel(R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<9>;
  mov.u64 %rd1, %globaltimer;
  mov.u64 %rd2, %clock64;
  mov.u64 %rd3, %clock64;
  sub.u64 %rd4, %rd3, %rd2;
  ld.param.u64 %rd5, [out];
  st.global.u64 [%rd5], %rd1;
  st.global.u64 [%rd5+8], %rd4;
  ret;
})");
  const auto out = kernel.buffer<std::uint64_t>(2);
  const auto now = static_cast<std::uint64_t>(time(nullptr)) * 1'000'000'000;
  ASSERT_EQ(kernel.run({}, out), std::nullopt);
  EXPECT_GE(kernel.read(out)[0], now);
  EXPECT_GT(kernel.read(out)[1], 0U);
}

TEST(SpecialRegisters, RefusesThoseItDoesNotKnow) {
  const auto message = [](std::string_view name) {
    return error_of(".entry k() { .reg .b32 %r<2>; mov.u32 %r1, " + std::string(name) + "; }")
        .message;
  };
  EXPECT_THAT(message("%envreg3"), HasSubstr("special register %envreg3 is not known"));
  EXPECT_THAT(message("%tid"), HasSubstr("%tid is not known"));
  EXPECT_THAT(error_of(".entry k() { .reg .b64 %r<2>; mov.u64 %r1, %tid.x; }").message,
              HasSubstr("has 32 bits"));
}

}  // namespace
}  // namespace egpu::emu
