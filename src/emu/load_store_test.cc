#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "emu/memory_test_kernel.h"

namespace egpu::emu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr LaunchConfig kWarp{.block = {32, 1, 1}};

template <class T>
std::vector<T> counting(std::size_t count, T first) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// How an element is loaded into a register and stored again.
struct Transfer {
  std::string load;   // "ld.global.u8 %r5"
  std::string store;  // "st.global.u32 [%d3], %r5"
  unsigned in_bytes;  // distance of the threads' elements
  unsigned out_bytes;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
void PrintTo(const Transfer& transfer, std::ostream* out) { *out << transfer.load; }

class Loads : public ::testing::TestWithParam<Transfer> {};

std::string body_of(const Transfer& transfer) {
  return "mul.wide.u32 %d0, %t, " + std::to_string(transfer.in_bytes) +
         "; add.u64 %d2, %in, %d0; mul.wide.u32 %d1, %t, " + std::to_string(transfer.out_bytes) +
         "; add.u64 %d3, %out, %d1;\n" + transfer.load + ", [%d2];\n" + transfer.store + ";";
}

// A value of `bytes` bytes as `out_bytes`, extended by its sign or by zeros.
std::vector<std::uint8_t> extended(const std::vector<std::uint8_t>& in, unsigned bytes,
                                   unsigned out_bytes, bool is_signed) {
  std::vector<std::uint8_t> out;
  for (std::size_t at = 0; at < in.size(); at += bytes) {
    const bool ones = is_signed && (in[at + bytes - 1] & 0x80) != 0;
    for (unsigned i = 0; i < out_bytes; ++i) {
      out.push_back(i < bytes ? in[at + i] : ones ? 0xff : 0);
    }
  }
  return out;
}

// Bytes without a pattern that an exchange of lanes would keep.
std::vector<std::uint8_t> noise(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  std::uint32_t state = 12345;
  for (std::uint8_t& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return bytes;
}

// 40 threads: a full warp and a part of one.
TEST_P(Loads, GiveEveryThreadItsElement) {
  const Transfer& transfer = GetParam();
  TestKernel kernel(around(body_of(transfer)));
  const auto bytes = noise(std::size_t{40} * transfer.in_bytes);
  const auto in = kernel.buffer(bytes);
  const auto out = kernel.buffer<std::uint8_t>(std::size_t{40} * transfer.out_bytes);
  ASSERT_EQ(kernel.run({.block = {40, 1, 1}}, in, out), std::nullopt);
  const bool is_signed = transfer.load.find(".s") != std::string::npos &&
                         transfer.load.find(".shared") == std::string::npos;
  EXPECT_EQ(kernel.read(out), extended(bytes, transfer.in_bytes, transfer.out_bytes, is_signed));
}

INSTANTIATE_TEST_SUITE_P(
    Widths, Loads,
    ::testing::Values(Transfer{"ld.global.u8 %h5", "st.global.u8 [%d3], %h5", 1, 1},
                      Transfer{"ld.global.u8 %h5", "st.global.u16 [%d3], %h5", 1, 2},
                      Transfer{"ld.global.s8 %h5", "st.global.u16 [%d3], %h5", 1, 2},
                      Transfer{"ld.global.b8 %r5", "st.global.b32 [%d3], %r5", 1, 4},
                      Transfer{"ld.global.s8 %r5", "st.global.u32 [%d3], %r5", 1, 4},
                      Transfer{"ld.global.u8 %d5", "st.global.u64 [%d3], %d5", 1, 8},
                      Transfer{"ld.global.s8 %d5", "st.global.u64 [%d3], %d5", 1, 8},
                      Transfer{"ld.global.u16 %h5", "st.global.u16 [%d3], %h5", 2, 2},
                      Transfer{"ld.global.u16 %r5", "st.global.u32 [%d3], %r5", 2, 4},
                      Transfer{"ld.global.s16 %r5", "st.global.u32 [%d3], %r5", 2, 4},
                      Transfer{"ld.global.s16 %d5", "st.global.u64 [%d3], %d5", 2, 8},
                      Transfer{"ld.global.b32 %r5", "st.global.b32 [%d3], %r5", 4, 4},
                      Transfer{"ld.global.u32 %d5", "st.global.u64 [%d3], %d5", 4, 8},
                      Transfer{"ld.global.s32 %d5", "st.global.u64 [%d3], %d5", 4, 8},
                      Transfer{"ld.global.f32 %f5", "st.global.f32 [%d3], %f5", 4, 4},
                      Transfer{"ld.global.f32 %d5", "st.global.b64 [%d3], %d5", 4, 8},
                      Transfer{"ld.global.f64 %g5", "st.global.f64 [%d3], %g5", 8, 8},
                      Transfer{"ld.global.b128 %q5", "st.global.b128 [%d3], %q5", 16, 16}));
INSTANTIATE_TEST_SUITE_P(
    Modifiers, Loads,
    ::testing::Values(
        Transfer{"ld.global.nc.L1::no_allocate.L2::128B.u32 %r5", "st.global.cs.u32 [%d3], %r5", 4,
                 4},
        Transfer{"ldu.global.u32 %r5", "st.global.wt.u32 [%d3], %r5", 4, 4},
        Transfer{"ld.global.cv.u32 %r5", "st.global.wb.u32 [%d3], %r5", 4, 4},
        Transfer{"ld.weak.global.ca.u32 %r5", "st.weak.global.cg.u32 [%d3], %r5", 4, 4},
        Transfer{"ld.volatile.global.u32 %r5", "st.volatile.global.u32 [%d3], %r5", 4, 4},
        Transfer{"ld.relaxed.gpu.global.u8 %h5", "st.relaxed.cta.global.u8 [%d3], %h5", 1, 1},
        Transfer{"ld.relaxed.gpu.global.s8 %r5", "st.relaxed.cta.global.u32 [%d3], %r5", 1, 4},
        Transfer{"ld.acquire.sys.global.f64 %g5", "st.release.sys.global.f64 [%d3], %g5", 8, 8},
        Transfer{"ld.acquire.gpu.b128 %q5", "st.release.gpu.b128 [%d3], %q5", 16, 16},
        Transfer{"ld.mmio.relaxed.sys.global.u32 %r5", "st.mmio.relaxed.sys.global.u32 [%d3], %r5",
                 4, 4},
        Transfer{"ld.f32 %f5", "st.f32 [%d3], %f5", 4, 4},
        Transfer{"ld.global.L1::evict_last.L2::evict_first.u32 %r5",
                 "st.global.L1::evict_first.u32 [%d3], %r5", 4, 4}));
INSTANTIATE_TEST_SUITE_P(
    Vectors, Loads,
    ::testing::Values(
        Transfer{"ld.global.v2.u8 {%h5, %h6}", "st.global.v2.u8 [%d3], {%h5, %h6}", 2, 2},
        Transfer{"ld.global.v4.u8 {%r5, %r6, %r7, %r8}",
                 "st.global.v4.u8 [%d3], {%r5, %r6, %r7, %r8}", 4, 4},
        Transfer{"ld.global.v2.u16 {%h5, %h6}", "st.global.v2.u16 [%d3], {%h5, %h6}", 4, 4},
        Transfer{"ld.global.v2.f32 {%f5, %f6}", "st.global.v2.f32 [%d3], {%f5, %f6}", 8, 8},
        Transfer{"ld.global.nc.v4.f32 {%f5, %f6, %f7, %f8}",
                 "st.global.v4.f32 [%d3], {%f5, %f6, %f7, %f8}", 16, 16},
        Transfer{"ld.global.v2.b64 {%d5, %d6}", "st.global.v2.b64 [%d3], {%d5, %d6}", 16, 16},
        Transfer{"ld.global.v4.b64 {%d5, %d6, %d7, %d8}",
                 "st.global.v4.b64 [%d3], {%d5, %d6, %d7, %d8}", 32, 32},
        Transfer{"ld.global.v8.b32 {%r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12}",
                 "st.global.v8.b32 [%d3], {%r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12}", 32, 32},
        Transfer{"ld.relaxed.gpu.global.v2.u32 {%r5, %r6}",
                 "st.relaxed.gpu.global.v2.u32 [%d3], {%r5, %r6}", 8, 8},
        Transfer{"ld.v2.u32 {%r5, %r6}", "st.volatile.v2.u32 [%d3], {%r5, %r6}", 8, 8}));

TEST(LoadStore, TakesRegistersOfEightBits) {
  TestKernel kernel(around(R"(
    .reg .u8 %byte;
    ld.global.nc.u8 %byte, [%in];
    cvt.u32.u8 %r5, %byte;
    st.global.u32 [%out], %r5;
    st.global.u8 [%out+4], %byte;)"));
  const auto in = kernel.buffer(std::vector<std::uint8_t>{200, 7});
  const auto out = kernel.buffer<std::uint32_t>(2);
  EXPECT_EQ(kernel.run({}, in, out), std::nullopt);
  EXPECT_THAT(kernel.read(out), ElementsAre(200, 200));
}

TEST(LoadStore, LeavesUnwantedElementsOfAVectorAlone) {
  TestKernel kernel(around(R"(
    ld.global.v4.u32 {%r5, _, _, %r6}, [%in];
    st.global.v2.u32 [%out], {%r6, 77};
)"));
  const auto in = kernel.buffer<std::uint32_t>({1, 2, 3, 4});
  const auto out = kernel.buffer<std::uint32_t>(2);
  ASSERT_EQ(kernel.run({}, in, out), std::nullopt);
  EXPECT_THAT(kernel.read(out), ElementsAre(4, 77));
}

TEST(LoadStore, MayOverwriteItsOwnAddress) {
  TestKernel kernel(around(R"(
    mul.wide.u32 %d0, %t, 16;
    add.u64 %d1, %in, %d0;
    add.u64 %d2, %out, %d0;
    ld.global.v2.u64 {%d1, %d3}, [%d1];
    st.global.v2.u64 [%d2], {%d1, %d3};
)"));
  const auto values = counting<std::uint64_t>(64, 5);
  const auto in = kernel.buffer(values);
  const auto out = kernel.buffer<std::uint64_t>(64);
  ASSERT_EQ(kernel.run(kWarp, in, out), std::nullopt);
  EXPECT_EQ(kernel.read(out), values);
}

TEST(LoadStore, BroadcastsAndTheHighestLaneStoresLast) {
  TestKernel kernel(around(R"(
    ld.global.u32 %r5, [%in+4];
    add.u32 %r5, %r5, %id;
    st.global.u32 [%out], %r5;
)"));
  const auto in = kernel.buffer<std::uint32_t>({1, 100});
  const auto out = kernel.buffer<std::uint32_t>(1);
  ASSERT_EQ(kernel.run(kWarp, in, out), std::nullopt);
  EXPECT_THAT(kernel.read(out), ElementsAre(131));
}

TEST(LoadStore, GathersAndScatters) {
  TestKernel kernel(around(R"(
    mul.lo.u32 %r2, %t, 7;
    and.b32 %r2, %r2, 31;
    mul.wide.u32 %d0, %r2, 4;
    add.u64 %d1, %in, %d0;
    add.u64 %d2, %out, %d0;
    ld.global.u32 %r5, [%d1];
    add.u32 %r5, %r5, %t;
    st.global.u32 [%d2], %r5;
)"));
  const auto in = kernel.buffer(counting<std::uint32_t>(32, 1000));
  const auto out = kernel.buffer<std::uint32_t>(32);
  ASSERT_EQ(kernel.run(kWarp, in, out), std::nullopt);
  std::vector<std::uint32_t> expected(32);
  for (std::uint32_t i = 0; i < 32; ++i) expected[i * 7 % 32] = 1000 + i * 7 % 32 + i;
  EXPECT_EQ(kernel.read(out), expected);
}

TEST(LoadStore, TouchesNothingForLanesThatAreOff) {
  TestKernel kernel(around(R"(
    mul.wide.u32 %d0, %t, 4;
    add.u64 %d1, %in, %d0;
    add.u64 %d2, %out, %d0;
    and.b32 %r2, %t, 5;
    setp.eq.u32 %p1, %r2, 4;
    @!%p1 mov.u64 %d1, 1;  // where nobody may go
    mov.u32 %r5, 9;
    @%p1 ld.global.u32 %r5, [%d1];
    setp.ne.u32 %p2, %t, 3;
    @%p2 st.global.u32 [%d2], %r5;
)"));
  const auto in = kernel.buffer(counting<std::uint32_t>(32, 1000));
  const auto out = kernel.buffer<std::uint32_t>(32);
  ASSERT_EQ(kernel.run(kWarp, in, out), std::nullopt);
  std::vector<std::uint32_t> expected(32, 9);
  for (std::uint32_t i = 0; i < 32; ++i) {
    if ((i & 5) == 4) expected[i] = 1000 + i;
  }
  expected[3] = 0;
  EXPECT_EQ(kernel.read(out), expected);
}

TEST(LoadStore, LanesMayReachSeveralAllocations) {
  TestKernel kernel(around(R"(
    setp.lt.u32 %p1, %t, 16;
    selp.b64 %d1, %in, %out, %p1;
    st.global.u32 [%d1], %t;
)"));
  const auto in = kernel.buffer<std::uint32_t>(1);
  const auto out = kernel.buffer<std::uint32_t>(1);
  ASSERT_EQ(kernel.run(kWarp, in, out), std::nullopt);
  EXPECT_THAT(kernel.read(in), ElementsAre(15));
  EXPECT_THAT(kernel.read(out), ElementsAre(31));
}

TEST(LoadStore, SharedMemoryBelongsToTheBlock) {
  TestKernel kernel(around(R"(
    mov.u32 %r2, buffer;
    mad.lo.u32 %r3, %id, 4, %r2;
    st.shared.u32 [%r3], %t;
    bar.sync 0;
    xor.b32 %r4, %id, 63;
    mad.lo.u32 %r4, %r4, 4, %r2;
    ld.shared.u32 %r5, [%r4];
    ld.volatile.shared.u32 %r6, [buffer+4];
    add.u32 %r5, %r5, %r6;
    mul.wide.u32 %d0, %t, 4;
    add.u64 %d2, %out, %d0;
    st.global.u32 [%d2], %r5;
)",
                           ".shared .align 4 .b8 buffer[256];"));
  const auto out = kernel.buffer<std::uint32_t>(128);
  ASSERT_EQ(kernel.run({.grid = {2, 1, 1}, .block = {64, 1, 1}}, out, out), std::nullopt);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t block = 0; block < 2; ++block) {
    for (std::uint32_t i = 0; i < 64; ++i) expected.push_back(block * 128 + (i ^ 63) + 1);
  }
  EXPECT_EQ(kernel.read(out), expected);
}

TEST(LoadStore, SharedAddressesOf32BitsWrapAround) {
  TestKernel kernel(around(R"(
    mov.u32 %r2, -64;
    st.shared.u32 [%r2+72], 5;
    ld.shared.u32 %r3, [8];
    st.global.u32 [%out], %r3;
)"));
  const auto out = kernel.buffer<std::uint32_t>(1);
  ASSERT_EQ(kernel.run({.dynamic_shared_bytes = 16}, out, out), std::nullopt);
  EXPECT_THAT(kernel.read(out), ElementsAre(5));
}

TEST(LoadStore, LocalMemoryBelongsToTheThread) {
  TestKernel kernel(around(R"(
    .local .align 8 .b8 own[16];
    mov.u64 %d1, own;
    st.local.u32 [%d1+4], %t;
    cvta.local.u64 %d2, %d1;
    ld.u32 %r3, [%d2+4];
    add.u32 %r3, %r3, 1;
    st.u32 [%d2+12], %r3;
    ld.local.u32 %r4, [own+12];
    mul.wide.u32 %d0, %t, 4;
    add.u64 %d3, %out, %d0;
    st.global.u32 [%d3], %r4;
)"));
  const auto out = kernel.buffer<std::uint32_t>(40);
  ASSERT_EQ(kernel.run({.block = {40, 1, 1}}, out, out), std::nullopt);
  EXPECT_EQ(kernel.read(out), counting<std::uint32_t>(40, 1));
}

TEST(LoadStore, GenericAddressesReachSharedMemoryAndConstants) {
  TestKernel kernel(around(R"(
    cvta.shared.u64 %d1, buffer;
    st.u32 [%d1], 3;
    ld.shared.u32 %r2, [buffer];
    cvta.const.u64 %d2, table;
    ld.u32 %r3, [%d2+4];
    ld.const.u32 %r4, [table+8];
    // Half of the lanes go to shared memory, half to constants.
    setp.lt.u32 %p1, %t, 16;
    selp.b64 %d3, %d1, %d2, %p1;
    ld.u32 %r5, [%d3];
    mad.lo.u32 %r6, %r2, 1000, %r3;
    mad.lo.u32 %r6, %r6, 1000, %r4;
    mad.lo.u32 %r6, %r6, 10, %r5;
    mul.wide.u32 %d0, %t, 4;
    add.u64 %d4, %out, %d0;
    st.global.u32 [%d4], %r6;
)",
                           R"(.shared .align 4 .b8 buffer[16];
.const .align 4 .u32 table[3] = {7, 11, 13};)"));
  const auto out = kernel.buffer<std::uint32_t>(32);
  ASSERT_EQ(kernel.run(kWarp, out, out), std::nullopt);
  std::vector<std::uint32_t> expected(32, 30110133);
  std::fill(expected.begin() + 16, expected.end(), 30110137);
  EXPECT_EQ(kernel.read(out), expected);
}

// One access of every thread to `in` at an offset, or elsewhere.
std::optional<Fault> fault_of(std::string_view body, std::size_t bytes = 128,
                              LaunchConfig config = kWarp) {
  TestKernel kernel(around(body, ".shared .align 16 .b8 buffer[128];"));
  const auto in = kernel.buffer<std::uint8_t>(bytes);
  return kernel.run(config, in, in);
}

TEST(LoadStore, RefusesWhatIsOutsideOfEveryAllocation) {
  const std::string lane = "mul.wide.u32 %d0, %t, 4; add.u64 %d1, %in, %d0;\n";
  EXPECT_EQ(fault_of(lane + "ld.global.u32 %r5, [%d1];"), std::nullopt);
  const auto last = fault_of(lane + "ld.global.u32 %r5, [%d1+4];");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->kind, FaultKind::kIllegalAddress);
  EXPECT_EQ(last->thread[0], 31U);
  EXPECT_THAT(last->detail, HasSubstr(", 4 bytes"));
  EXPECT_THAT(last->place, HasSubstr("test.ptx:"));
  const auto first = fault_of(lane + "st.global.u32 [%d1-4], %r5;");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->kind, FaultKind::kIllegalAddress);
  EXPECT_EQ(first->thread[0], 0U);
  const auto part = fault_of(lane + "setp.gt.u32 %p1, %t, 9; @%p1 st.global.u32 [%d1+4], %r5;");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->thread[0], 31U);
  const auto null = fault_of("mov.u64 %d1, 0; ld.global.u8 %r5, [%d1];");
  ASSERT_TRUE(null);
  EXPECT_EQ(null->kind, FaultKind::kIllegalAddress);
  EXPECT_EQ(null->detail, "address 0x0, 1 byte");
}

// The end of an allocation: its size is exact, not rounded to pages.
TEST(LoadStore, ChecksEveryByteOfTheLastElement) {
  EXPECT_EQ(fault_of("ld.global.u8 %r5, [%in+12];", 13), std::nullopt);
  EXPECT_TRUE(fault_of("ld.global.u8 %r5, [%in+13];", 13));
  EXPECT_EQ(fault_of("ld.global.u32 %r5, [%in+8];", 13), std::nullopt);
  EXPECT_TRUE(fault_of("ld.global.u32 %r5, [%in+12];", 13));
  EXPECT_EQ(fault_of("ld.global.v2.u32 {%r5, %r6}, [%in];", 13), std::nullopt);
  EXPECT_TRUE(fault_of("ld.global.v2.u32 {%r5, %r6}, [%in+8];", 13));
  EXPECT_TRUE(fault_of("st.relaxed.gpu.global.u32 [%in+12], %r5;", 13));
}

TEST(LoadStore, RefusesMisalignedAccesses) {
  for (const std::string_view body :
       {"ld.global.u16 %h5, [%in+1];", "ld.global.u32 %r5, [%in+2];", "ld.global.u64 %d5, [%in+4];",
        "ld.global.v2.u32 {%r5, %r6}, [%in+4];", "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%in+8];",
        "st.global.b128 [%in+8], %q5;", "st.shared.u32 [buffer+2], %r5;", "ld.u32 %r5, [%in+1];",
        "mul.wide.u32 %d0, %t, 3; add.u64 %d1, %in, %d0; ld.global.u16 %h5, [%d1];",
        "ld.acquire.gpu.global.u32 %r5, [%in+2];"}) {
    const auto fault = fault_of(body);
    ASSERT_TRUE(fault) << body;
    EXPECT_EQ(fault->kind, FaultKind::kMisalignedAddress) << body;
  }
}

TEST(LoadStore, NamesTheFirstLaneThatIsMisaligned) {
  const auto fault = fault_of(
      "setp.eq.u32 %p1, %t, 7; selp.u32 %r2, 1, 0, %p1; cvt.u64.u32 %d0, %r2;"
      "add.u64 %d1, %in, %d0; ld.global.u32 %r5, [%d1];");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kMisalignedAddress);
  EXPECT_EQ(fault->thread[0], 7U);
}

TEST(LoadStore, ChecksSharedMemoryAgainstTheBlocksSize) {
  EXPECT_EQ(fault_of("st.shared.u32 [buffer+124], %r5;"), std::nullopt);
  const auto behind = fault_of("st.shared.u32 [buffer+128], %r5;");
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->kind, FaultKind::kIllegalAddress);
  EXPECT_EQ(behind->detail, "shared address 0x80, 4 bytes");
  EXPECT_TRUE(fault_of("mov.u32 %r2, -4; ld.shared.u32 %r5, [%r2];"));
  EXPECT_TRUE(fault_of("shl.b32 %r2, %t, 3; ld.shared.u32 %r5, [%r2];"));
  EXPECT_TRUE(fault_of("shl.b32 %r2, %t, 2; ld.shared.u32 %r5, [%r2+4];"));
  EXPECT_TRUE(fault_of("cvta.shared.u64 %d1, buffer; ld.u32 %r5, [%d1+128];"));
  LaunchConfig larger = kWarp;
  larger.dynamic_shared_bytes = 4;
  EXPECT_EQ(fault_of("st.shared.u32 [buffer+128], %r5;", 4, larger), std::nullopt);
}

TEST(LoadStore, ChecksLocalMemory) {
  const std::string_view fault = "add.u64 %d1, %d1, 65536; add.u64 %d1, %d1, 65536;";
  const std::string own = ".local .align 8 .b8 own[16]; mov.u64 %d1, own;";
  EXPECT_EQ(fault_of(own + "st.local.u32 [%d1+12], %r5;"), std::nullopt);
  const auto behind = fault_of(own + std::string(fault) + "st.local.u32 [%d1], %r5;");
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->kind, FaultKind::kIllegalAddress);
  EXPECT_THAT(behind->detail, HasSubstr("local address"));
  EXPECT_TRUE(fault_of(own + "mov.u64 %d1, -4; ld.local.u32 %r5, [%d1];"));
}

TEST(LoadStore, NoMoreOfTheWarpRunsAfterAFault) {
  TestKernel kernel(around(R"(
    mov.u64 %d1, 64;
    st.global.u32 [%d1], 1;
    st.global.u32 [%out], 1;
)"));
  const auto out = kernel.buffer<std::uint32_t>(1);
  EXPECT_TRUE(kernel.run(kWarp, out, out));
  EXPECT_THAT(kernel.read(out), ElementsAre(0));
}

TEST(LoadStore, RefusesByNameWhatItDoesNotKnow) {
  for (const auto& [body, message] : {
           std::pair{"st.const.u32 [%in], %r5;", ".const"},
           std::pair{"ld.global.strange.u32 %r5, [%in];", "strange"},
           std::pair{"ld.global.v4.b128 {%q1, %q2, %q3, %q4}, [%in];", "no such access"},
           std::pair{"ld.global.v2.u32 {%r1, %r2, %r3, %r4}, [%in];", "2 elements"},
           std::pair{"ld.global.v2.u8 {%r1, %h2}, [%in];", "widths"},
           std::pair{"ld.global.f16 %h1, [%in];", "type"},
           std::pair{"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, "
                     "[%r3];",
                     "async"},
           std::pair{"st.bulk.weak.shared::cta [%in], %d2, 0;", "bulk"},
           std::pair{"ld.global.u32 %r1, [%in], %d2;", "operands"},
       }) {
    EXPECT_THAT(error_of(around(body)).message, HasSubstr(message)) << body;
  }
}

TEST(LoadStore, TakesAPolicyWhereOneIsNamed) {
  TestKernel kernel(around(R"(
    createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d1, 1.0;
    ld.global.L2::cache_hint.u32 %r5, [%in], %d1;
    st.global.L2::cache_hint.u32 [%out], %r5, %d1;
)"));
  const auto in = kernel.buffer(std::vector<std::uint32_t>{5});
  const auto out = kernel.buffer<std::uint32_t>(1);
  ASSERT_EQ(kernel.run(kWarp, in, out), std::nullopt);
  EXPECT_THAT(kernel.read(out), ElementsAre(5));
}

}  // namespace
}  // namespace egpu::emu
