// Divergence, calls and what threads of a warp may expect of each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "emu/test_kernel.h"

namespace egpu::emu {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

using U32 = std::uint32_t;

// A kernel whose `body` computes %out for each thread, of %r1 = %tid.x and what stands before it.
std::string kernel_with(std::string_view body, std::string_view before = "") {
  return std::string(before) + R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<30>, %out;
  .reg .b64 %rd<30>;
  .reg .pred %p<10>;
  mov.u32 %r1, %tid.x;
  mov.u32 %out, 0;
)" + std::string(body) +
         R"(
  ld.param.u64 %rd20, [out];
  mul.wide.u32 %rd21, %r1, 4;
  add.u64 %rd22, %rd20, %rd21;
  st.global.u32 [%rd22], %out;
  ret;
})";
}

std::vector<U32> outputs(std::string_view body, std::string_view before = "", U32 threads = 32) {
  TestKernel kernel(kernel_with(body, before));
  const auto out = kernel.buffer<U32>(threads);
  EXPECT_EQ(kernel.run({.block = {threads, 1, 1}}, out), std::nullopt);
  return kernel.read(out);
}

std::vector<U32> computed(U32 (*f)(U32), U32 threads = 32) {
  std::vector<U32> values(threads);
  for (U32 i = 0; i < threads; ++i) values[i] = f(i);
  return values;
}

// %active: how many lanes execute this together.
constexpr std::string_view kCountActive = "activemask.b32 %r9; popc.b32 %out, %r9;";

TEST(Control, LanesTakeBothWays) {
  EXPECT_EQ(outputs(R"(
    setp.lt.u32 %p1, %r1, 10;
    @%p1 bra SMALL;
    add.u32 %out, %r1, 1000;
    bra JOIN;
SMALL:
    add.u32 %out, %r1, 2000;
JOIN:
    add.u32 %out, %out, 5;)"),
            computed([](U32 i) { return i + (i < 10 ? 2005 : 1005); }));
}

TEST(Control, LanesMeetWhereTheWaysJoin) {
  EXPECT_THAT(outputs("setp.lt.u32 %p1, %r1, 10;\n@%p1 bra SMALL;\nmov.u32 %r2, 1;\nbra JOIN;\n"
                      "SMALL:\nmov.u32 %r2, 2;\nJOIN:\n" +
                      std::string(kCountActive)),
              Each(32U));
}

TEST(Control, LoopsOfDifferentLengthsMeetBehindThem) {
  EXPECT_EQ(outputs(R"(
    mov.u32 %r2, 0;
LOOP:
    add.u32 %r3, %r3, %r2;
    add.u32 %r2, %r2, 1;
    setp.le.u32 %p1, %r2, %r1;
    @%p1 bra LOOP;
    activemask.b32 %r9;
    popc.b32 %r10, %r9;
    mad.lo.u32 %out, %r3, 100, %r10;)"),
            computed([](U32 i) { return i * (i + 1) / 2 * 100 + 32; }));
}

TEST(Control, NestedDivergenceIsUndone) {
  EXPECT_EQ(outputs(R"(
    and.b32 %r2, %r1, 1;
    and.b32 %r3, %r1, 2;
    setp.eq.u32 %p1, %r2, 0;
    setp.eq.u32 %p2, %r3, 0;
    @%p1 bra A;
    @%p2 bra B;
    mov.u32 %out, 3;
    bra C;
B:  mov.u32 %out, 1;
C:  activemask.b32 %r9;
    popc.b32 %r9, %r9;
    mad.lo.u32 %out, %r9, 10, %out;
    bra D;
A:  mov.u32 %out, 7;
D:  activemask.b32 %r9;
    popc.b32 %r9, %r9;
    mad.lo.u32 %out, %r9, 1000, %out;)"),
            computed([](U32 i) { return 32000 + (i % 2 == 0 ? 7 : 160 + (i & 2) + 1); }));
}

TEST(Control, ExitInsideABranchLeavesTheOthers) {
  EXPECT_EQ(outputs(R"(
    setp.lt.u32 %p1, %r1, 4;
    @%p1 exit;
    activemask.b32 %r9;
    popc.b32 %out, %r9;)"),
            computed([](U32 i) { return i < 4 ? 0U : 28U; }));
}

TEST(Control, LanesThatSpinForEachOtherMakeProgress) {
  // Each lane in turn takes a lock that the others spin for.
  TestKernel kernel(R"(
.global .u32 lock;
.global .u32 sum;
.visible .entry k() {
  .reg .b32 %r<9>;
  .reg .pred %p<3>;
TRY:
  atom.global.cas.b32 %r1, [lock], 0, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra TRY;
  ld.volatile.global.u32 %r2, [sum];
  add.u32 %r2, %r2, 1;
  st.volatile.global.u32 [sum], %r2;
  membar.gl;
  atom.global.exch.b32 %r3, [lock], 0;
  ret;
})");
  EXPECT_EQ(kernel.run({.grid = {3, 1, 1}, .block = {64, 1, 1}, .budget = 1'000'000'000}),
            std::nullopt);
  EXPECT_EQ(kernel.read(Buffer<U32>{kernel.module().variable("sum")->address, 1}),
            std::vector<U32>{192});
}

TEST(Control, ALaneThatWaitsForAStoreOfAnotherOneSeesIt) {
  // Lane 0 waits at a smaller address than the store stands at.
  EXPECT_THAT(outputs(R"(
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra OTHERS;
WAIT:
    ld.volatile.global.u32 %r2, [flag];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra WAIT;
    mov.u32 %out, %r2;
    bra DONE;
OTHERS:
    st.volatile.global.u32 [flag], 9;
    mov.u32 %out, 9;
DONE:)",
                      ".global .u32 flag;"),
              Each(9U));
}

TEST(Control, IndexedBranchesGoToTheirTargets) {
  EXPECT_EQ(outputs(R"(
    and.b32 %r2, %r1, 3;
TARGETS: .branchtargets L0, L1, L2, L1;
    brx.idx %r2, TARGETS;
L0: mov.u32 %out, 10;
    bra DONE;
L1: mov.u32 %out, 11;
    bra DONE;
L2: mov.u32 %out, 12;
DONE:
    activemask.b32 %r9;
    popc.b32 %r9, %r9;
    mad.lo.u32 %out, %r9, 100, %out;)"),
            computed([](U32 i) { return 3200 + (i % 4 == 3 ? 11 : 10 + i % 4); }));
}

TEST(Control, AnIndexBehindTheTargetsIsAFault) {
  TestKernel kernel(kernel_with("TARGETS: .branchtargets L0;\nL0:\nbrx.idx %r1, TARGETS;\n"));
  const auto fault = kernel.run({.block = {32, 1, 1}}, kernel.buffer<U32>(32));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kIllegalInstruction);
}

constexpr std::string_view kFactorial = R"(
.func (.param .b32 result) factorial(.param .b32 n) {
  .reg .b32 %r<9>;
  .reg .pred %p<2>;
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 1;
  setp.le.u32 %p1, %r1, 1;
  @%p1 bra DONE;
  sub.u32 %r3, %r1, 1;
  { .param .b32 in; .param .b32 out;
    st.param.b32 [in], %r3;
    call.uni (out), factorial, (in);
    ld.param.b32 %r4, [out];
  }
  mul.lo.u32 %r2, %r4, %r1;
DONE:
  st.param.b32 [result], %r2;
  ret;
}
)";

TEST(Calls, LanesRecurseToDifferentDepths) {
  const auto factorial = [](U32 i) {
    U32 product = 1;
    for (U32 n = 2; n <= i; ++n) product *= n;
    return product;
  };
  EXPECT_EQ(outputs(R"(
    { .param .b32 in; .param .b32 out;
      st.param.b32 [in], %r1;
      call (out), factorial, (in);
      ld.param.b32 %out, [out];
    })",
                    kFactorial),
            computed(factorial));
}

TEST(Calls, RegistersAndNumbersArePassedAsWell) {
  EXPECT_EQ(outputs(R"(
    cvt.u64.u32 %rd1, %r1;
    call (%out), twice, (%rd1, 5, 0f40000000);)",
                    R"(
.func (.reg .b32 %result) twice(.reg .b64 %n, .reg .b32 %more, .param .f32 factor) {
  .reg .f32 %f<2>;
  .reg .b32 %r<2>;
  ld.param.f32 %f1, [factor];
  cvt.rzi.u32.f32 %r1, %f1;
  cvt.u32.u64 %result, %n;
  mad.lo.u32 %result, %result, %r1, %more;
  ret;
})"),
            computed([](U32 i) { return 2 * i + 5; }));
}

TEST(Calls, GuardedCallsAndEarlyReturns) {
  EXPECT_EQ(outputs(R"(
    setp.gt.u32 %p1, %r1, 3;
    mov.u32 %out, 77;
    @%p1 call (%out), f, (%r1);
    activemask.b32 %r9;
    popc.b32 %r9, %r9;
    mad.lo.u32 %out, %r9, 100, %out;)",
                    R"(
.func (.reg .b32 %result) f(.reg .b32 %n) {
  .reg .pred %p<2>;
  mov.u32 %result, 1;
  setp.gt.u32 %p1, %n, 7;
  @%p1 ret;
  mov.u32 %result, 2;
  ret;
})"),
            computed([](U32 i) -> U32 {
              return 3200 + (i > 7 ? 1 : i > 3 ? 2 : 77);
            }));
}

TEST(Calls, ExitInACalleeEndsTheThread) {
  EXPECT_EQ(outputs(R"(
    call f, (%r1);
    activemask.b32 %r9;
    popc.b32 %out, %r9;)",
                    R"(
.func f(.reg .b32 %n) {
  .reg .pred %p<2>;
  setp.lt.u32 %p1, %n, 5;
  @%p1 exit;
  ret;
})"),
            computed([](U32 i) { return i < 5 ? 0U : 27U; }));
}

constexpr std::string_view kPointers = R"(
.func (.param .b32 result) two(.param .b32 n) {
  st.param.b32 [result], 2;
  ret;
}
.func (.param .b32 result) same(.param .b32 n) {
  .reg .b32 %r<2>;
  ld.param.b32 %r1, [n];
  st.param.b32 [result], %r1;
  ret;
}
.global .u64 table[2] = {two, same};
)";

constexpr std::string_view kCallByTable = R"(
    and.b32 %r2, %r1, 1;
    mul.wide.u32 %rd1, %r2, 8;
    mov.u64 %rd2, table;
    add.u64 %rd2, %rd2, %rd1;
    ld.global.u64 %rd3, [%rd2];
    { .param .b32 in; .param .b32 out;
      st.param.b32 [in], %r1;
P: .callprototype (.param .b32 _) _ (.param .b32 _);
      call (out), %rd3, (in), P;
      ld.param.b32 %out, [out];
    })";

TEST(Calls, PointersMayDifferBetweenLanes) {
  EXPECT_EQ(outputs(kCallByTable, kPointers), computed([](U32 i) { return i % 2 == 0 ? 2 : i; }));
}

TEST(Calls, WhatPointsToNoFunctionIsAFault) {
  TestKernel kernel(
      kernel_with("mov.u64 %rd3, 4660;\n"
                  "P: .callprototype _ ();\n"
                  "call %rd3, P;"));
  const auto fault = kernel.run({.block = {1, 1, 1}}, kernel.buffer<U32>(1));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kInvalidPc);
  EXPECT_THAT(fault->detail, HasSubstr("0x1234"));
}

TEST(Calls, EndlessRecursionOverflowsTheStack) {
  TestKernel kernel(R"(
.func f() { call f; ret; }
.visible .entry k() { call f; ret; })");
  const auto fault = kernel.run({.block = {64, 1, 1}});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kStackOverflow);
  EXPECT_EQ(fault->place, "test.ptx:5:13");
}

TEST(Calls, EachCallHasItsOwnLocalMemory) {
  EXPECT_EQ(outputs(R"(
    mov.u32 %r2, 3;
    call (%out), f, (%r1, %r2);)",
                    R"(
.func (.reg .b32 %result) f(.reg .b32 %n, .reg .b32 %depth) {
  .local .align 8 .b32 keep[2];
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  mul.lo.u32 %r1, %n, %depth;
  st.local.u32 [keep+4], %r1;
  mov.u32 %r2, 0;
  setp.eq.u32 %p1, %depth, 0;
  @%p1 bra DONE;
  sub.u32 %r3, %depth, 1;
  call (%r2), f, (%n, %r3);
DONE:
  ld.local.u32 %r4, [keep+4];
  add.u32 %result, %r2, %r4;
  ret;
})"),
            computed([](U32 i) { return i * 6; }));
}

TEST(Calls, RefusesWhatDoesNotFit) {
  const auto error = [](std::string_view call) {
    return error_of(kernel_with(call, ".func f(.reg .b32 %n) { ret; }\n.extern .func other();"))
        .message;
  };
  EXPECT_THAT(error("call g, (%r1);"), HasSubstr("g is no function to call"));
  EXPECT_THAT(error("call k;"), HasSubstr("k is no function to call"));
  EXPECT_THAT(error("call other;"), HasSubstr("other has no body"));
  EXPECT_THAT(error("call f;"), HasSubstr("hands over 0 parameters, not 1"));
  EXPECT_THAT(error("call (%r2), f, (%r1);"), HasSubstr("hands over 1 results, not 0"));
  EXPECT_THAT(error("call %rd1, (%r1);"), HasSubstr("needs a prototype"));
}

TEST(Calls, AllocatesLocalMemoryUntilTheCallEnds) {
  EXPECT_EQ(outputs(R"(
  .reg .b64 %size, %a, %b;
  add.u32 %r2, %r1, 1;
  mul.wide.u32 %size, %r2, 4;
  alloca.u64 %a, %size, 16;
  alloca.u64 %b, 8;
  mul.wide.u32 %rd1, %r1, 4;
  add.u64 %rd2, %a, %rd1;
  st.local.u32 [%rd2], %r2;
  st.local.u32 [%b], 7;
  call clobber;
  ld.local.u32 %r3, [%rd2];
  ld.local.u32 %r4, [%b];
  mad.lo.u32 %out, %r3, 10, %r4;)",
                    R"(
.func clobber() {
  .local .align 16 .b8 own[64];
  .reg .b64 %b;
  st.local.u32 [own], 99;
  st.local.u32 [own+60], 99;
  alloca.u64 %b, 256;
  st.local.u32 [%b+252], 99;
  ret;
})"),
            computed([](U32 i) { return (i + 1) * 10 + 7; }));
}

TEST(Calls, AllocatingTooMuchOverflowsTheStack) {
  TestKernel kernel(
      ".visible .entry k(.param .u64 n) { .reg .b64 %rd<3>; ld.param.u64 %rd1, [n];\n"
      "alloca.u64 %rd2, %rd1, 16; ret; }");
  EXPECT_EQ(kernel.run({}, std::uint64_t{1000}), std::nullopt);
  for (const std::uint64_t size : {std::uint64_t{1} << 20, ~std::uint64_t{0}}) {
    const auto fault = kernel.run({}, size);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->kind, FaultKind::kStackOverflow);
    EXPECT_EQ(fault->place, "test.ptx:5:1");
  }
  EXPECT_THAT(error_of(".entry k() { .reg .b64 %rd<3>; alloca.u64 %rd2, 16, 3; ret; }").message,
              HasSubstr("alignment"));
}

}  // namespace
}  // namespace egpu::emu
