#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "emu/memory_test_kernel.h"

namespace egpu::emu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr LaunchConfig kWarp{.block = {32, 1, 1}};

// Every thread adds to counters that others add to as well: in one address, in consecutive ones,
// in a few. Blocks run on several host threads.
TEST(Atomic, SumsAreExactWhateverRunsAtATime) {
  TestKernel kernel(around(R"(
    mov.u32 %r9, 100;
again:
    atom.global.add.u32 %r5, [%out], 1;
    red.global.add.u64 [%out+8], 3;
    and.b32 %r6, %t, 63;
    mul.wide.u32 %d1, %r6, 4;
    add.u64 %d2, %out, %d1;
    red.relaxed.gpu.global.add.u32 [%d2+16], %r6;
    and.b32 %r6, %t, 3;
    mul.wide.u32 %d1, %r6, 4;
    add.u64 %d2, %out, %d1;
    atom.add.acq_rel.gpu.u32 %r7, [%d2+272], 1;
    atom.global.add.f64 %g1, [%out+288], 0d3FE0000000000000;
    sub.u32 %r9, %r9, 1;
    setp.ne.u32 %p1, %r9, 0;
    @%p1 bra again;
)"));
  constexpr std::uint32_t kThreads = 8 * 96;
  const auto out = kernel.buffer<std::uint32_t>(80);
  const LaunchConfig config{.grid = {8, 1, 1}, .block = {96, 1, 1}, .workers = 3};
  ASSERT_EQ(kernel.run(config, out, out), std::nullopt);
  const auto values = kernel.read(out);
  EXPECT_EQ(values[0], kThreads * 100);
  EXPECT_EQ(values[2], kThreads * 300);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(values[4 + i], i * kThreads / 64 * 100) << i;
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(values[68 + i], kThreads / 4 * 100) << i;
  const std::uint64_t sum = values[72] | std::uint64_t{values[73]} << 32;
  EXPECT_EQ(std::bit_cast<double>(sum), kThreads * 50.0);
}

TEST(Atomic, LanesFollowEachOtherAndSeeWhatWasThere) {
  TestKernel kernel(around(R"(
    atom.global.add.u32 %r5, [%in], %t;
    mul.wide.u32 %d1, %t, 4;
    add.u64 %d2, %out, %d1;
    st.global.u32 [%d2], %r5;
)"));
  const auto in = kernel.buffer(std::vector<std::uint32_t>{10});
  const auto out = kernel.buffer<std::uint32_t>(32);
  ASSERT_EQ(kernel.run(kWarp, in, out), std::nullopt);
  std::vector<std::uint32_t> expected(32);
  for (std::uint32_t i = 0; i < 32; ++i) expected[i] = 10 + i * (i - 1) / 2;
  EXPECT_EQ(kernel.read(out), expected);
}

TEST(Atomic, SharedMemoryCountsToo) {
  TestKernel kernel(around(R"(
    atom.shared.add.u32 %r5, [sum], 1;
    cvta.shared.u64 %d1, sum;
    red.add.u32 [%d1+4], %id;
    atom.shared::cta.inc.u32 %r6, [sum+8], 9;
    bar.sync 0;
    ld.shared.v2.u32 {%r7, %r8}, [sum];
    ld.shared.u32 %r9, [sum+8];
    st.global.v2.u32 [%out], {%r7, %r8};
    st.global.u32 [%out+8], %r9;
)",
                           ".shared .align 8 .b8 sum[16];"));
  const auto out = kernel.buffer<std::uint32_t>(3);
  ASSERT_EQ(kernel.run({.block = {96, 1, 1}}, out, out), std::nullopt);
  EXPECT_THAT(kernel.read(out), ElementsAre(96, 95 * 96 / 2, 6));
}

// One thread, one operation.
struct Step {
  std::string instruction;  // leaves the old value in %r5 or %d5; [%in] is the address
  std::uint64_t memory;
  std::uint64_t after;
};
// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
void PrintTo(const Step& step, std::ostream* out) { *out << step.instruction; }

class AtomicSteps : public ::testing::TestWithParam<Step> {};

TEST_P(AtomicSteps, ChangeMemoryAndGiveTheOldValue) {
  const Step& step = GetParam();
  TestKernel kernel(around("mov.u64 %d5, 0; mov.u32 %r5, 0; mov.b16 %h5, 0;\n" + step.instruction +
                           R"(
    cvt.u64.u32 %d6, %r5;
    or.b64 %d5, %d5, %d6;
    cvt.u64.u16 %d6, %h5;
    or.b64 %d5, %d5, %d6;
    st.global.u64 [%out], %d5;
)"));
  const auto in = kernel.buffer(std::vector<std::uint64_t>{step.memory});
  const auto out = kernel.buffer<std::uint64_t>(1);
  ASSERT_EQ(kernel.run({}, in, out), std::nullopt);
  EXPECT_THAT(kernel.read(in), ElementsAre(step.after));
  const bool gives_old = step.instruction.find("atom.") != std::string::npos;
  EXPECT_THAT(kernel.read(out), ElementsAre(gives_old ? step.memory : 0));
}

INSTANTIATE_TEST_SUITE_P(
    Integers, AtomicSteps,
    ::testing::Values(Step{"atom.global.and.b32 %r5, [%in], 12;", 10, 8},
                      Step{"atom.global.or.b32 %r5, [%in], 12;", 10, 14},
                      Step{"atom.global.xor.b32 %r5, [%in], 12;", 10, 6},
                      Step{"atom.and.b64 %d5, [%in], 0xf00000000f;", 0xffffffffff, 0xf00000000f},
                      Step{"atom.or.b64 %d5, [%in], 0xf00000000f;", 0x1000000000, 0xf00000000f},
                      Step{"atom.xor.b64 %d5, [%in], 0xf00000000f;", 0x1000000001, 0xe00000000e},
                      Step{"red.global.or.b32 [%in], 12;", 10, 14},
                      Step{"red.and.b64 [%in], 6;", 10, 2},
                      Step{"atom.global.exch.b32 %r5, [%in], 7;", 5, 7},
                      Step{"atom.global.exch.b64 %d5, [%in], 7;", 0x500000000, 7},
                      Step{"atom.global.cas.b32 %r5, [%in], 5, 7;", 5, 7},
                      Step{"atom.global.cas.b32 %r5, [%in], 6, 7;", 5, 5},
                      Step{"atom.global.cas.b64 %d5, [%in], 0x500000001, 9;", 0x500000001, 9},
                      Step{"atom.global.cas.b16 %h5, [%in], 5, 7;", 5, 7},
                      Step{"atom.global.cas.b16 %h5, [%in], 4, 7;", 5, 5},
                      Step{"atom.global.add.s32 %r5, [%in], -7;", 5, 0xfffffffe},
                      Step{"atom.acq_rel.sys.global.add.u64 %d5, [%in], 0x100000000;", 5,
                           0x100000005},
                      Step{"atom.global.inc.u32 %r5, [%in], 7;", 5, 6},
                      Step{"atom.global.inc.u32 %r5, [%in], 5;", 5, 0},
                      Step{"atom.global.inc.u32 %r5, [%in], 4;", 5, 0},
                      Step{"atom.global.dec.u32 %r5, [%in], 7;", 5, 4},
                      Step{"atom.global.dec.u32 %r5, [%in], 7;", 0, 7},
                      Step{"atom.global.dec.u32 %r5, [%in], 4;", 5, 4},
                      Step{"red.global.dec.u32 [%in], 9;", 9, 8},
                      Step{"atom.global.min.u32 %r5, [%in], 0xffffffff;", 5, 5},
                      Step{"atom.global.min.s32 %r5, [%in], -1;", 5, 0xffffffff},
                      Step{"atom.global.max.u32 %r5, [%in], 0xffffffff;", 5, 0xffffffff},
                      Step{"atom.global.max.s32 %r5, [%in], -1;", 5, 5},
                      Step{"atom.global.min.s64 %d5, [%in], -1;", 5, ~std::uint64_t{0}},
                      Step{"atom.global.min.u64 %d5, [%in], -1;", 5, 5},
                      Step{"atom.global.max.s64 %d5, [%in], -1;", 5, 5},
                      Step{"red.max.u64 [%in], -1;", 5, ~std::uint64_t{0}}));
INSTANTIATE_TEST_SUITE_P(
    Floats, AtomicSteps,
    ::testing::Values(
        Step{"atom.global.add.f32 %r5, [%in], 0f3FC00000;", 0x3f800000, 0x40200000},
        Step{"red.global.add.f32 [%in], 0f3FC00000;", 0x3f800000, 0x40200000},
        // 2^-127 is subnormal: global memory counts it as zero, in memory as in the operand.
        Step{"atom.global.add.f32 %r5, [%in], 0f00400000;", 0x00400000, 0},
        Step{"atom.add.f32 %r5, [%in], 0f00400000;", 0x3f800000, 0x3f800000},
        Step{"atom.global.add.f32 %r5, [%in], 0f7FC00001;", 0x3f800000, 0x7fffffff},
        Step{"atom.global.add.f64 %d5, [%in], 0d3FF8000000000000;", 0x3ff0000000000000,
             0x4004000000000000},
        Step{"red.global.add.f64 [%in], 0d0008000000000000;", 0x0008000000000000,
             0x0010000000000000},
        Step{"mov.b16 %h1, 0x3e00; atom.global.add.noftz.f16 %h5, [%in], %h1;", 0x3c00, 0x4100},
        Step{"mov.b16 %h1, 1; atom.global.add.noftz.f16 %h5, [%in], %h1;", 0x0001, 0x0002},
        Step{"mov.b32 %r1, 0x3e003c00; atom.add.noftz.f16x2 %r5, [%in], %r1;", 0x3c000001,
             0x41003c00},
        Step{"mov.b16 %h1, 0x3fc0; atom.global.add.noftz.bf16 %h5, [%in], %h1;", 0x3f80, 0x4020},
        Step{"mov.b32 %r1, 0x3fc03f80; red.global.add.noftz.bf16x2 [%in], %r1;", 0x3f803f80,
             0x40204000}));

TEST(Atomic, SharedMemoryKeepsSubnormalSums) {
  TestKernel kernel(around(R"(
    st.shared.u32 [sum], 0x00400000;
    atom.shared.add.f32 %f5, [sum], 0f00400000;
    cvta.shared.u64 %d1, sum;
    atom.add.f32 %f6, [%d1], 0f00000001;
    ld.shared.u32 %r6, [sum];
    st.global.f32 [%out], %f5;
    st.global.u32 [%out+4], %r6;
)",
                           ".shared .align 4 .b8 sum[4];"));
  const auto out = kernel.buffer<std::uint32_t>(2);
  ASSERT_EQ(kernel.run({}, out, out), std::nullopt);
  EXPECT_THAT(kernel.read(out), ElementsAre(0x00400000, 0x00800001));
}

// Two lanes at global, two at shared addresses.
TEST(Atomic, GenericLanesMayBeInSeveralSpaces) {
  TestKernel kernel(around(R"(
    st.shared.u32 [sum], 0x00400000;
    cvta.shared.u64 %d1, sum;
    setp.lt.u32 %p1, %t, 2;
    selp.b64 %d2, %in, %d1, %p1;
    atom.add.f32 %f5, [%d2], 0f00400000;
    ld.shared.u32 %r6, [sum];
    st.global.u32 [%out], %r6;
)",
                           ".shared .align 4 .b8 sum[4];"));
  const auto in = kernel.buffer(std::vector<std::uint32_t>{0x00400000});
  const auto out = kernel.buffer<std::uint32_t>(1);
  ASSERT_EQ(kernel.run({.block = {4, 1, 1}}, in, out), std::nullopt);
  EXPECT_THAT(kernel.read(in), ElementsAre(0));
  EXPECT_THAT(kernel.read(out), ElementsAre(0x00c00000));
}

TEST(Atomic, ChangesOf128Bits) {
  TestKernel kernel(around(R"(
    mov.b128 %q1, {5, 6};
    mov.b128 %q2, {7, 8};
    atom.global.cas.b128 %q3, [%in], %q1, %q2;
    atom.global.cas.b128 %q4, [%in], %q1, %q1;
    atom.global.exch.b128 %q5, [%in], %q1;
    st.global.b128 [%out], %q3;
    st.global.b128 [%out+16], %q4;
    st.global.b128 [%out+32], %q5;
)"));
  const auto in = kernel.buffer(std::vector<std::uint64_t>{5, 6});
  const auto out = kernel.buffer<std::uint64_t>(6);
  ASSERT_EQ(kernel.run({}, in, out), std::nullopt);
  EXPECT_THAT(kernel.read(in), ElementsAre(5, 6));
  EXPECT_THAT(kernel.read(out), ElementsAre(5, 6, 7, 8, 7, 8));
}

TEST(Atomic, VectorsChangeElementByElement) {
  TestKernel kernel(around(R"(
    mov.f32 %f1, 0f3F800000;
    mov.f32 %f2, 0f40000000;
    atom.global.add.v2.f32 {%f3, %f4}, [%in], {%f1, %f2};
    red.global.add.v4.f32 [%in+16], {%f1, %f1, %f2, %f2};
    mov.b16 %h1, 0x3c00;
    mov.b32 %r1, 0x3c004000;
    atom.global.max.noftz.v2.f16 {%h3, %h4}, [%in+32], {%h1, %h1};
    red.global.min.noftz.v2.f16x2 [%in+40], {%r1, %r1};
    st.global.v2.f32 [%out], {%f3, %f4};
)"));
  const auto in = kernel.buffer(std::vector<std::uint32_t>{
      0x3f800000, 0x3f800000, 0, 0, 0, 0, 0, 0x3f800000, 0x40003800, 0, 0x7e003800, 0x44004400});
  const auto out = kernel.buffer<std::uint32_t>(2);
  ASSERT_EQ(kernel.run({}, in, out), std::nullopt);
  EXPECT_THAT(kernel.read(in),
              ElementsAre(0x40000000, 0x40400000, 0, 0, 0x3f800000, 0x3f800000, 0x40000000,
                          0x40400000, 0x40003c00, 0, 0x3c003800, 0x3c004000));
  EXPECT_THAT(kernel.read(out), ElementsAre(0x3f800000, 0x3f800000));
}

TEST(Atomic, OnlyActiveLanesTakePart) {
  TestKernel kernel(around(R"(
    and.b32 %r2, %t, 3;
    setp.eq.u32 %p1, %r2, 2;
    mov.u32 %r5, 77;
    @%p1 atom.global.add.u32 %r5, [%in], 1;
    mul.wide.u32 %d1, %t, 4;
    add.u64 %d2, %out, %d1;
    st.global.u32 [%d2], %r5;
)"));
  const auto in = kernel.buffer<std::uint32_t>(1);
  const auto out = kernel.buffer<std::uint32_t>(32);
  ASSERT_EQ(kernel.run(kWarp, in, out), std::nullopt);
  EXPECT_THAT(kernel.read(in), ElementsAre(8));
  const auto values = kernel.read(out);
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(values[i], i % 4 == 2 ? i / 4 : 77) << i;
}

// A lock that all threads of all blocks want, lanes of one warp against each other too.
TEST(Atomic, ALockGuardsWhatIsNotAtomic) {
  TestKernel kernel(around(R"(
again:
    atom.acquire.gpu.global.cas.b32 %r5, [%in], 0, 1;
    setp.ne.u32 %p1, %r5, 0;
    @%p1 bra again;
    ld.global.u32 %r6, [%out];
    add.u32 %r6, %r6, 1;
    st.global.u32 [%out], %r6;
    atom.release.gpu.global.exch.b32 %r5, [%in], 0;
)"));
  const auto in = kernel.buffer<std::uint32_t>(1);
  const auto out = kernel.buffer<std::uint32_t>(1);
  const LaunchConfig config{.grid = {4, 1, 1}, .block = {64, 1, 1}, .workers = 2};
  ASSERT_EQ(kernel.run(config, in, out), std::nullopt);
  EXPECT_THAT(kernel.read(out), ElementsAre(256));
}

std::optional<Fault> fault_of(std::string_view body) {
  TestKernel kernel(around(body, ".shared .align 16 .b8 buffer[16];"));
  const auto in = kernel.buffer<std::uint32_t>(4);
  return kernel.run({.block = {4, 1, 1}}, in, in);
}

TEST(Atomic, ChecksAddresses) {
  for (const auto& [body, kind] : {
           std::pair{"atom.global.add.u32 %r5, [%in+16], 1;", FaultKind::kIllegalAddress},
           std::pair{"atom.global.add.u32 %r5, [%in+2], 1;", FaultKind::kMisalignedAddress},
           std::pair{"red.global.add.u64 [%in+4], 1;", FaultKind::kMisalignedAddress},
           std::pair{"atom.shared.add.u32 %r5, [buffer+16], 1;", FaultKind::kIllegalAddress},
           std::pair{"red.global.add.v2.f32 [%in+4], {%f1, %f1};", FaultKind::kMisalignedAddress},
           std::pair{".local .b32 own; mov.u64 %d1, own; cvta.local.u64 %d1, %d1;"
                     "atom.add.u32 %r5, [%d1], 1;",
                     FaultKind::kInvalidAddressSpace},
       }) {
    const auto fault = fault_of(body);
    ASSERT_TRUE(fault) << body;
    EXPECT_EQ(fault->kind, kind) << body;
  }
}

TEST(Atomic, RefusesWhatPtxDoesNotHave) {
  for (const auto& [body, message] : {
           std::pair{"atom.local.add.u32 %r5, [%r1], 1;", ".local"},
           std::pair{"atom.global.add.s64 %d5, [%in], 1;", "no such atomic"},
           std::pair{"atom.global.add.f16 %h5, [%in], %h1;", ".noftz"},
           std::pair{"atom.global.min.f32 %f5, [%in], %f1;", "no such atomic"},
           std::pair{"atom.global.and.u32 %r5, [%in], 1;", "no such atomic"},
           std::pair{"red.global.exch.b32 [%in], 1;", "no such reduction"},
           std::pair{"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add."
                     "u32 [%r1], %r2, [%r3];",
                     "async"},
           std::pair{"atom.global.add.v2.f32 {%f1, %f2}, [%in], %f1;", "elements"},
           std::pair{"atom.global.cas.b32 %r5, [%in], 1;", "operands"},
       }) {
    EXPECT_THAT(error_of(around(body)).message, HasSubstr(message)) << body;
  }
}

}  // namespace
}  // namespace egpu::emu
