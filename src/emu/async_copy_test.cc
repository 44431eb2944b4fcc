#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "emu/memory_test_kernel.h"

namespace egpu::emu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr LaunchConfig kWarp{.block = {32, 1, 1}};

std::vector<std::uint32_t> counting(std::size_t count, std::uint32_t first) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// Room for a block's data, and an mbarrier behind it.
constexpr std::string_view kShared =
    ".shared .align 128 .b8 buffer[1024];\n.shared .align 8 .b64 barrier[2];\n";

// The words of `buffer`, one for each thread, to `out`.
constexpr std::string_view kStoreBuffer = R"(
    bar.sync 0;
    mov.u32 %r2, buffer;
    mad.lo.u32 %r3, %id, 4, %r2;
    ld.shared.u32 %r4, [%r3];
    mul.wide.u32 %d0, %id, 4;
    add.u64 %d1, %out, %d0;
    st.global.u32 [%d1], %r4;
)";

std::vector<std::uint32_t> copied(const std::string& body, std::uint32_t threads) {
  TestKernel kernel(around(body + std::string(kStoreBuffer), kShared));
  const auto in = kernel.buffer(counting(256, 1000));
  const auto out = kernel.buffer<std::uint32_t>(threads);
  EXPECT_EQ(kernel.run({.block = {threads, 1, 1}}, in, out), std::nullopt);
  return kernel.read(out);
}

TEST(AsyncCopy, CopiesAtOnce) {
  EXPECT_EQ(copied(R"(
    mov.u32 %r2, buffer;
    mad.lo.u32 %r3, %id, 4, %r2;
    mul.wide.u32 %d0, %id, 4;
    add.u64 %d1, %in, %d0;
    cp.async.ca.shared.global.L2::128B [%r3], [%d1+4], 4;
    cp.async.commit_group;
    cp.async.wait_group 0;
    cp.async.wait_all;)",
                   40),
            counting(40, 1001));
  EXPECT_EQ(copied(R"(
    mov.u32 %r2, buffer;
    mad.lo.u32 %r3, %id, 16, %r2;
    mul.wide.u32 %d0, %id, 16;
    add.u64 %d1, %in, %d0;
    createpolicy.fractional.L2::evict_first.b64 %d2, 1.0;
    setp.lt.u32 %p1, %id, 8;
    @%p1 cp.async.cg.shared.global.L2::cache_hint [%r3], [%d1], 16, %d2;)",
                   32),
            counting(32, 1000));
}

// What is not copied is zero, and is not read: it lies outside the allocation.
TEST(AsyncCopy, FillsUpWithZeros) {
  const auto values = copied(R"(
    mov.u32 %r2, buffer;
    mad.lo.u32 %r3, %id, 4, %r2;
    st.shared.u32 [%r3], 77;
    bar.sync 0;
    mad.lo.u32 %r3, %id, 16, %r2;
    mul.wide.u32 %d0, %id, 16;
    add.u64 %d1, %in, %d0;
    mul.lo.u32 %r4, %id, 4;
    setp.eq.u32 %p2, %id, 0;
    selp.b64 %d1, 16, %d1, %p2;
    setp.lt.u32 %p1, %id, 5;
    @%p1 cp.async.cg.shared.global [%r3], [%d1], 16, %r4;)",
                             32);
  std::vector<std::uint32_t> expected(32, 77);
  for (std::uint32_t i = 0; i < 20; ++i) expected[i] = i % 4 < i / 4 ? 1000 + i : 0;
  EXPECT_EQ(values, expected);
}

TEST(AsyncCopy, MayIgnoreItsSource) {
  const auto values = copied(R"(
    mov.u32 %r2, buffer;
    mad.lo.u32 %r3, %id, 4, %r2;
    st.shared.u32 [%r3], 77;
    mul.wide.u32 %d0, %id, 4;
    add.u64 %d1, %in, %d0;
    setp.ge.u32 %p1, %id, 3;
    selp.b64 %d1, 16, %d1, %p1;
    cp.async.ca.shared.global [%r3], [%d1], 4, %p1;)",
                             8);
  EXPECT_THAT(values, ElementsAre(1000, 1001, 1002, 0, 0, 0, 0, 0));
}

TEST(AsyncCopy, ChecksBothAddresses) {
  const auto fault_of = [](std::string_view body) {
    TestKernel kernel(around(body, kShared));
    const auto in = kernel.buffer<std::uint8_t>(64);
    return kernel.run({.block = {2, 1, 1}}, in, in);
  };
  for (const auto& [body, kind] : {
           std::pair{"cp.async.ca.shared.global [buffer], [%in+64], 4;",
                     FaultKind::kIllegalAddress},
           std::pair{"cp.async.ca.shared.global [buffer], [%in+2], 4;",
                     FaultKind::kMisalignedAddress},
           std::pair{"cp.async.cg.shared.global [buffer+8], [%in], 16;",
                     FaultKind::kMisalignedAddress},
           std::pair{"mov.u32 %r1, 4096; cp.async.ca.shared.global [%r1], [%in], 4;",
                     FaultKind::kIllegalAddress},
           std::pair{"cp.async.cg.shared.global [buffer], [%in+64], 16, 4;",
                     FaultKind::kIllegalAddress},
           std::pair{"cp.async.cg.shared.global [buffer], [%in], 16, 17;",
                     FaultKind::kIllegalInstruction},
           std::pair{"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [buffer], "
                     "[%in+32], 48, [barrier];",
                     FaultKind::kIllegalAddress},
           std::pair{"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [buffer], "
                     "[%in], 8, [barrier];",
                     FaultKind::kIllegalInstruction},
           std::pair{"cp.async.bulk.global.shared::cta.bulk_group [%in+8], [buffer], 16;",
                     FaultKind::kMisalignedAddress},
       }) {
    const auto fault = fault_of(body);
    ASSERT_TRUE(fault) << body;
    EXPECT_EQ(fault->kind, kind) << body;
  }
}

// One thread copies for all, which wait at the barrier.
TEST(BulkCopy, CompletesTheTransactionsOfAnMbarrier) {
  EXPECT_EQ(copied(R"(
    setp.ne.u32 %p1, %id, 0;
    @%p1 bra ready;
    mbarrier.init.shared::cta.b64 [barrier], 1;
    fence.mbarrier_init.release.cluster;
ready:
    bar.sync 0;
    @%p1 bra wait;
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %d5, [barrier], 512;
    mov.u32 %r5, 256;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
        [buffer], [%in], %r5, [barrier];
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes
        [buffer+256], [%in+256], 256, [barrier];
wait:
    mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [barrier], 0;
    @!%p2 bra wait;)",
                   128),
            counting(128, 1000));
}

TEST(BulkCopy, WritesGlobalMemory) {
  TestKernel kernel(around(R"(
    mov.u32 %r2, buffer;
    mad.lo.u32 %r3, %id, 4, %r2;
    st.shared.u32 [%r3], %id;
    bar.sync 0;
    fence.proxy.async.shared::cta;
    setp.ne.u32 %p1, %id, 5;
    @%p1 bra done;
    cp.async.bulk.global.shared::cta.bulk_group [%out], [buffer], 128;
    mov.b16 %h1, 0x00f1;
    mov.u64 %d1, 0;
    cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%out+128], [buffer+16], 16, %h1;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 0;
    cp.async.bulk.prefetch.L2.global [%out], 128;
done:
)",
                           kShared));
  const auto out = kernel.buffer(std::vector<std::uint32_t>(36, 0xffffffff));
  ASSERT_EQ(kernel.run(kWarp, out, out), std::nullopt);
  auto expected = counting(36, 0);
  expected[32] = 0xffffff04;
  expected[33] = 5;
  expected[34] = 0xffffffff;
  expected[35] = 0xffffffff;
  EXPECT_EQ(kernel.read(out), expected);
}

// Runs on one thread with a fresh barrier of `count`; gives what the body leaves in %r5.
std::uint32_t with_barrier(unsigned count, std::string_view body) {
  std::string text =
      "mov.u32 %r5, 0; mbarrier.init.shared.b64 [barrier], " + std::to_string(count) + ";\n";
  text += body;
  text += "\nst.global.u32 [%out], %r5;";
  TestKernel kernel(around(text, kShared));
  const auto out = kernel.buffer<std::uint32_t>(1);
  EXPECT_EQ(kernel.run({}, out, out), std::nullopt) << body;
  return kernel.read(out)[0];
}

TEST(Mbarrier, PhasesEndWithTheLastArrival) {
  EXPECT_EQ(with_barrier(3, R"(
    mbarrier.arrive.shared.b64 %d5, [barrier];
    mbarrier.test_wait.shared.b64 %p1, [barrier], %d5;
    @%p1 add.u32 %r5, %r5, 1;
    mbarrier.arrive.shared.b64 _, [barrier], 2;
    mbarrier.test_wait.shared.b64 %p1, [barrier], %d5;
    @%p1 add.u32 %r5, %r5, 10;
    mbarrier.test_wait.parity.shared.b64 %p1, [barrier], 0;
    @%p1 add.u32 %r5, %r5, 100;
    mbarrier.test_wait.parity.shared.b64 %p1, [barrier], 1;
    @%p1 add.u32 %r5, %r5, 1000;
    mbarrier.arrive.shared.b64 %d5, [barrier], 3;
    mbarrier.test_wait.parity.shared.b64 %p1, [barrier], 1;
    @%p1 add.u32 %r5, %r5, 10000;)"),
            10110U);
}

TEST(Mbarrier, CountsWhatIsPending) {
  EXPECT_EQ(with_barrier(7, R"(
    cvta.shared.u64 %d1, barrier;
    mbarrier.arrive.noComplete.b64 %d5, [%d1], 2;
    mbarrier.arrive.release.cta.shared::cta.b64 %d6, [barrier];
    mbarrier.pending_count.b64 %r1, %d5;
    mbarrier.pending_count.b64 %r2, %d6;
    mad.lo.u32 %r5, %r1, 10, %r2;)"),
            75U);
}

TEST(Mbarrier, DroppedThreadsAreNotExpectedAgain) {
  EXPECT_EQ(with_barrier(3, R"(
    mbarrier.arrive_drop.shared.b64 %d5, [barrier];
    mbarrier.arrive.shared.b64 %d5, [barrier], 2;
    mbarrier.arrive.shared.b64 %d6, [barrier], 2;
    mbarrier.pending_count.b64 %r5, %d6;
    mbarrier.test_wait.shared.b64 %p1, [barrier], %d6;
    @%p1 add.u32 %r5, %r5, 10;)"),
            12U);
}

TEST(Mbarrier, WaitsForBytesToo) {
  EXPECT_EQ(with_barrier(1, R"(
    mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [barrier], 100;
    mbarrier.arrive.shared.b64 %d5, [barrier];
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [barrier], 60;
    mbarrier.test_wait.shared.b64 %p1, [barrier], %d5;
    @%p1 add.u32 %r5, %r5, 1;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [barrier], 40;
    mbarrier.try_wait.shared.b64 %p1, [barrier], %d5, 1000;
    @%p1 add.u32 %r5, %r5, 10;)"),
            10U);
}

TEST(Mbarrier, CopiesArriveForTheirThread) {
  EXPECT_EQ(with_barrier(2, R"(
    cp.async.ca.shared.global [buffer], [%in], 4;
    cp.async.mbarrier.arrive.shared.b64 [barrier];
    mbarrier.test_wait.parity.shared.b64 %p1, [barrier], 0;
    @%p1 add.u32 %r5, %r5, 1;
    cp.async.mbarrier.arrive.noinc.shared.b64 [barrier];
    cp.async.mbarrier.arrive.noinc.shared.b64 [barrier];
    mbarrier.test_wait.parity.shared.b64 %p1, [barrier], 0;
    @%p1 add.u32 %r5, %r5, 10;
    mbarrier.inval.shared.b64 [barrier];)"),
            10U);
}

// All threads of four warps meet, five times.
TEST(Mbarrier, MakesABlockWait) {
  TestKernel kernel(around(R"(
    setp.eq.u32 %p1, %id, 0;
    @%p1 mbarrier.init.shared.b64 [barrier], 128;
    bar.sync 0;
    mov.u32 %r6, 0;
again:
    red.shared.add.u32 [buffer], 1;
    mbarrier.arrive.shared.b64 %d5, [barrier];
wait:
    mbarrier.try_wait.shared.b64 %p2, [barrier], %d5;
    @!%p2 bra wait;
    ld.shared.u32 %r7, [buffer];
    add.u32 %r6, %r6, 1;
    mul.lo.u32 %r8, %r6, 128;
    setp.lt.u32 %p3, %r7, %r8;
    @%p3 trap;
    setp.lt.u32 %p3, %r6, 5;
    @%p3 bra again;
    st.global.u32 [%out], %r7;
)",
                           kShared));
  const auto out = kernel.buffer<std::uint32_t>(1);
  ASSERT_EQ(kernel.run({.block = {128, 1, 1}}, out, out), std::nullopt);
  EXPECT_THAT(kernel.read(out), ElementsAre(640));
}

TEST(Mbarrier, FaultsWhereCountsLeaveTheirRange) {
  for (const std::string_view body :
       {"mbarrier.init.shared.b64 [barrier], 0;", "mbarrier.init.shared.b64 [barrier], 1048576;",
        "mbarrier.init.shared.b64 [barrier], 2; mbarrier.arrive.shared.b64 %d5, [barrier], 3;",
        "mbarrier.init.shared.b64 [barrier], 1;"
        "mbarrier.arrive.noComplete.shared.b64 %d5, [barrier], 1;",
        "mbarrier.init.shared.b64 [barrier], 1;"
        "mbarrier.expect_tx.relaxed.cta.shared.b64 [barrier], 1048576;"}) {
    TestKernel kernel(around(body, kShared));
    const auto out = kernel.buffer<std::uint32_t>(1);
    const auto fault = kernel.run({}, out, out);
    ASSERT_TRUE(fault) << body;
    EXPECT_EQ(fault->kind, FaultKind::kIllegalInstruction) << body;
    EXPECT_THAT(fault->detail, HasSubstr("mbarrier"));
  }
}

// --- ldmatrix, stmatrix ---

// Element (row, column) of matrix m is m * 64 + row * 8 + column; rows lie in reverse order.
constexpr std::string_view kMatrices = R"(
    mov.u32 %r2, buffer;
    mov.u32 %r9, 0;
fill:
    shl.b32 %r3, %r9, 5;
    add.u32 %r3, %r3, %id;     // an element
    shr.u32 %r4, %r3, 3;       // its row
    xor.b32 %r5, %r4, 31;
    shl.b32 %r5, %r5, 3;
    and.b32 %r6, %r3, 7;
    add.u32 %r5, %r5, %r6;
    mad.lo.u32 %r5, %r5, 2, %r2;
    st.shared.u16 [%r5], %r3;
    add.u32 %r9, %r9, 1;
    setp.lt.u32 %p1, %r9, 8;
    @%p1 bra fill;
    bar.sync 0;
    xor.b32 %r5, %id, 31;
    mad.lo.u32 %r15, %r5, 16, %r2;  // row number id
    mul.wide.u32 %d0, %id, 16;
    add.u64 %d1, %out, %d0;
)";

std::vector<std::uint32_t> matrices(std::string_view instruction) {
  TestKernel kernel(around(std::string(kMatrices) + "mov.b32 %r10, 0; mov.b32 %r11, 0;" +
                               "mov.b32 %r12, 0; mov.b32 %r13, 0;\n" + std::string(instruction) +
                               "\nst.global.v4.u32 [%d1], {%r10, %r11, %r12, %r13};",
                           kShared));
  const auto out = kernel.buffer<std::uint32_t>(128);
  EXPECT_EQ(kernel.run(kWarp, out, out), std::nullopt);
  return kernel.read(out);
}

std::vector<std::uint32_t> expected_matrices(unsigned count, bool transposed) {
  std::vector<std::uint32_t> values(128);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    for (std::uint32_t m = 0; m < count; ++m) {
      const std::uint32_t row = lane / 4;
      const std::uint32_t column = lane % 4 * 2;
      const auto element = [&](std::uint32_t c) {
        return m * 64 + (transposed ? c * 8 + row : row * 8 + c);
      };
      values[lane * 4 + m] = element(column) | element(column + 1) << 16;
    }
  }
  return values;
}

TEST(LoadMatrix, SpreadsRowsOverTheWarp) {
  EXPECT_EQ(matrices("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r15];"),
            expected_matrices(1, false));
  EXPECT_EQ(matrices("ldmatrix.sync.aligned.x2.m8n8.shared::cta.b16 {%r10, %r11}, [%r15];"),
            expected_matrices(2, false));
  EXPECT_EQ(matrices("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r15];"),
            expected_matrices(4, false));
  EXPECT_EQ(matrices("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r10}, [%r15];"),
            expected_matrices(1, true));
  EXPECT_EQ(matrices("cvt.u64.u32 %d5, %r15; cvta.shared.u64 %d5, %d5;"
                     "ldmatrix.sync.aligned.m8n8.x4.trans.b16 {%r10, %r11, %r12, %r13}, [%d5];"),
            expected_matrices(4, true));
}

// What was loaded, stored to where it lay and loaded again.
TEST(StoreMatrix, IsTheReverse) {
  const auto stored_again = [](const std::string& trans) {
    return matrices("ldmatrix.sync.aligned.m8n8.x4" + trans +
                    ".shared.b16 {%r10, %r11, %r12, %r13}, [%r15];"
                    "mov.u32 %r9, 0; fill2: mad.lo.u32 %r5, %r9, 128, %r2;"
                    "mad.lo.u32 %r5, %id, 4, %r5; st.shared.u32 [%r5], 0;"
                    "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 4; @%p1 bra fill2; bar.sync 0;"
                    "stmatrix.sync.aligned.m8n8.x4" +
                    trans +
                    ".shared.b16 [%r15], {%r10, %r11, %r12, %r13};"
                    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r15];");
  };
  EXPECT_EQ(stored_again(""), expected_matrices(4, false));
  EXPECT_EQ(stored_again(".trans"), expected_matrices(4, false));
}

TEST(LoadMatrix, ChecksRowsAndLanes) {
  const auto fault_of = [](std::string_view body, std::uint32_t threads) {
    TestKernel kernel(around(body, kShared));
    const auto out = kernel.buffer<std::uint32_t>(1);
    return kernel.run({.block = {threads, 1, 1}}, out, out);
  };
  const std::string_view rows =
      "mov.u32 %r2, buffer; mad.lo.u32 %r3, %id, 128, %r2;"
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r3];";
  EXPECT_EQ(fault_of(rows, 32), std::nullopt);
  const auto outside = fault_of(
      "mov.u32 %r2, buffer; mad.lo.u32 %r3, %id, 256, %r2;"
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r3];",
      32);
  ASSERT_TRUE(outside);
  EXPECT_EQ(outside->kind, FaultKind::kIllegalAddress);
  const auto misaligned =
      fault_of("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [buffer+8];", 32);
  ASSERT_TRUE(misaligned);
  EXPECT_EQ(misaligned->kind, FaultKind::kMisalignedAddress);
  const auto partial = fault_of(rows, 31);
  ASSERT_TRUE(partial);
  EXPECT_EQ(partial->kind, FaultKind::kIllegalInstruction);
}

TEST(AsyncCopy, RefusesByNameWhatItDoesNotKnow) {
  for (const auto& [body, message] : {
           std::pair{"cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
                     "[%r1], [%d1, {%r2}], [%r3];",
                     "tensor"},
           std::pair{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [%r1], "
                     "%r2;",
                     "reduce"},
           std::pair{"cp.async.ca.shared.global [%r1], [%d1], 12;", "bytes"},
           std::pair{"cp.async.cg.shared.global [%r1], [%d1], 8;", "bytes"},
           std::pair{"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r5];", "m8n8"},
           std::pair{"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [%r5];", "2 registers"},
           std::pair{"mbarrier.strange.shared.b64 [%r1];", "operation"},
           std::pair{"mbarrier.arrive.shared.b64 [%r1];", "operands"},
       }) {
    EXPECT_THAT(error_of(around(body)).message, HasSubstr(message)) << body;
  }
}

}  // namespace
}  // namespace egpu::emu
