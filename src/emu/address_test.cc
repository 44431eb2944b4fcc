#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emu/memory_test_kernel.h"

namespace egpu::emu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Address, TellsSpacesApart) {
  TestKernel kernel(around(R"(
    .local .b32 own;
    mov.u32 %r5, 0;
    cvta.global.u64 %d1, %in;
    cvta.shared.u64 %d2, buffer;
    mov.u64 %d3, own;
    cvta.local.u64 %d3, %d3;
    isspacep.global %p1, %d1; @%p1 or.b32 %r5, %r5, 0x1;
    isspacep.global %p1, %d2; @%p1 or.b32 %r5, %r5, 0x2;
    isspacep.global %p1, %d3; @%p1 or.b32 %r5, %r5, 0x4;
    isspacep.shared %p1, %d1; @%p1 or.b32 %r5, %r5, 0x10;
    isspacep.shared %p1, %d2; @%p1 or.b32 %r5, %r5, 0x20;
    isspacep.shared::cluster %p1, %d2; @%p1 or.b32 %r5, %r5, 0x40;
    isspacep.local %p1, %d3; @%p1 or.b32 %r5, %r5, 0x100;
    isspacep.local %p1, %d2; @%p1 or.b32 %r5, %r5, 0x200;
    st.global.u32 [%out], %r5;
    cvta.to.shared.u64 %d4, %d2;
    mov.u64 %d5, buffer;
    sub.u64 %d6, %d4, %d5;
    cvta.to.global.u64 %d4, %d1;
    sub.u64 %d7, %d4, %in;
    or.b64 %d6, %d6, %d7;
    cvt.u32.u64 %r6, %d6;
    st.global.u32 [%out+4], %r6;
)",
                           ".shared .align 8 .b8 buffer[64];"));
  const auto out = kernel.buffer<std::uint32_t>(2);
  ASSERT_EQ(kernel.run({}, out, out), std::nullopt);
  EXPECT_THAT(kernel.read(out), ElementsAre(0x161, 0));
}

TEST(Address, ReadsParametersThroughGenericAddresses) {
  const std::string generic = "mov.b64 %d1, in; cvta.param.u64 %d2, %d1;\n";
  TestKernel kernel(around(generic + R"(
    ld.u64 %d3, [%d2+8];
    sub.u64 %d3, %d3, %out;
    isspacep.param::entry %p1, %d2;
    @!%p1 trap;
    st.global.u64 [%out], %d3;
)"));
  const auto out = kernel.buffer(std::vector<std::uint64_t>{5});
  ASSERT_EQ(kernel.run({}, out, out), std::nullopt);
  EXPECT_THAT(kernel.read(out), ElementsAre(0));
  for (const auto& [body, kind] : {
           std::pair{"ld.u64 %d3, [%d2+16];", FaultKind::kIllegalAddress},
           std::pair{"st.u64 [%d2], %d3;", FaultKind::kInvalidAddressSpace},
           std::pair{"atom.add.u64 %d3, [%d2], 1;", FaultKind::kInvalidAddressSpace},
       }) {
    TestKernel wrong(around(generic + body));
    const auto fault = wrong.run({}, out, out);
    ASSERT_TRUE(fault) << body;
    EXPECT_EQ(fault->kind, kind) << body;
  }
}

TEST(Address, HintsAccessNothing) {
  TestKernel kernel(around(R"(
    mov.u64 %d1, 64;
    prefetch.global.L1 [%d1];
    prefetch.global.L2::evict_last [%d1];
    prefetch.L2 [%d1];
    prefetchu.L1 [%d1];
    discard.global.L2 [%d1], 128;
    applypriority.global.L2::evict_normal [%d1], 128;
    createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %d2, [%d1], 128, 256;
    createpolicy.cvt.L2.b64 %d2, %d1;
)"));
  const auto out = kernel.buffer<std::uint32_t>(1);
  EXPECT_EQ(kernel.run({}, out, out), std::nullopt);
}

// Every block writes its number into the memory of the next one of its cluster.
TEST(Address, ReachesTheBlocksOfTheCluster) {
  TestKernel kernel(around(R"(
    mov.u32 %r1, %cluster_ctarank;
    mov.u32 %r2, %cluster_nctarank;
    add.u32 %r3, %r1, 1;
    rem.u32 %r3, %r3, %r2;
    mov.u32 %r4, buffer;
    mapa.shared::cluster.u32 %r5, %r4, %r3;
    mad.lo.u32 %r6, %id, 4, %r5;
    mad.lo.u32 %r7, %r1, 100, %id;
    st.shared::cluster.u32 [%r6], %r7;
    cvta.shared.u64 %d1, buffer;
    mapa.u64 %d2, %d1, %r3;
    atom.add.u32 %r8, [%d2+128], 1;
    red.shared::cluster.add.u32 [%r5+128], 1;
    getctarank.u64 %r9, %d2;
    getctarank.shared::cluster.u32 %r10, %r5;
    getctarank.shared::cluster.u32 %r11, %r4;
    setp.ne.u32 %p1, %r9, %r3; @%p1 trap;
    setp.ne.u32 %p1, %r10, %r3; @%p1 trap;
    setp.ne.u32 %p1, %r11, %r1; @%p1 trap;
    isspacep.shared::cta %p1, %d2; @%p1 trap;
    isspacep.shared::cluster %p1, %d2; @!%p1 trap;
    mapa.u64 %d3, %d1, %r1;
    isspacep.shared::cta %p1, %d3; @!%p1 trap;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mad.lo.u32 %r6, %id, 4, %r4;
    ld.shared.u32 %r7, [%r6];
    ld.shared.u32 %r8, [buffer+128];
    mad.lo.u32 %r7, %r8, 1000, %r7;
    mul.wide.u32 %d0, %t, 4;
    add.u64 %d1, %out, %d0;
    st.global.u32 [%d1], %r7;
)",
                           ".shared .align 8 .b8 buffer[132];"));
  const auto out = kernel.buffer<std::uint32_t>(128);
  const LaunchConfig config{.grid = {4, 1, 1}, .block = {32, 1, 1}, .cluster = {4, 1, 1}};
  ASSERT_EQ(kernel.run(config, out, out), std::nullopt);
  const auto values = kernel.read(out);
  for (std::uint32_t i = 0; i < 128; ++i) {
    EXPECT_EQ(values[i], 64000 + (i / 32 + 3) % 4 * 100 + i % 32) << i;
  }
}

TEST(Address, ChecksTheMemoryOfOtherBlocks) {
  const auto fault_of = [](std::string_view body) {
    TestKernel kernel(around(body, ".shared .align 8 .b8 buffer[128];"));
    const auto out = kernel.buffer<std::uint32_t>(1);
    const LaunchConfig config{.grid = {2, 1, 1}, .block = {1, 1, 1}, .cluster = {2, 1, 1}};
    return kernel.run(config, out, out);
  };
  const std::string map = "mov.u32 %r4, buffer; mapa.shared::cluster.u32 %r5, %r4, ";
  EXPECT_EQ(fault_of(map + "1; st.shared::cluster.u32 [%r5+124], %r1;"), std::nullopt);
  EXPECT_TRUE(fault_of(map + "1; st.shared::cluster.u32 [%r5+128], %r1;"));
  EXPECT_TRUE(fault_of(map + "2; st.shared::cluster.u32 [%r5], %r1;"));
}

TEST(Address, RefusesWhatItCannotTell) {
  for (const auto& [body, message] : {
           std::pair{"isspacep.const %p1, %d1;", "state space"},
           std::pair{"cvta.shared.u32 %r1, %r2;", "64 bits"},
           std::pair{"mapa.u32 %r1, %r2, %r3;", "addresses"},
           std::pair{"prefetch.global.L3 [%d1];", "L3"},
       }) {
    EXPECT_THAT(error_of(around(body)).message, HasSubstr(message)) << body;
  }
}

}  // namespace
}  // namespace egpu::emu
