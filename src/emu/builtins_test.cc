#include "emu/builtins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <set>

#include "emu/device_printf.h"
#include "emu/heap.h"
#include "emu/test_kernel.h"

namespace egpu::emu {
namespace {

using ::testing::HasSubstr;

// The text printf gives for arguments that are 8 bytes each.
std::optional<std::string> printed(std::string_view format,
                                   const std::vector<std::uint64_t>& arguments) {
  const PrintfSource source{
      .argument = [&](std::uint64_t offset, unsigned bytes) -> std::optional<std::uint64_t> {
        if (offset + bytes > arguments.size() * 8) return std::nullopt;
        std::uint64_t value = 0;
        std::memcpy(&value, reinterpret_cast<const std::byte*>(arguments.data()) + offset, bytes);
        return value;
      },
      .text = [](std::uint64_t address) { return "text" + std::to_string(address); }};
  const auto result = format_printf(format, source);
  return result ? std::optional(result->text) : std::nullopt;
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

TEST(DevicePrintf, FormatsAsC) {
  EXPECT_EQ(printed("plain 100%%\n", {}), "plain 100%\n");
  EXPECT_EQ(printed("%d|%lld", {0xffffffffULL, static_cast<std::uint64_t>(-5)}), "-1|-5");
  EXPECT_EQ(printed("%5u|%-5u", {7 | 8ULL << 32}), "    7|8    ");
  EXPECT_EQ(printed("%#lx %08.3f %+e", {255, bits(1.5), bits(-2)}), "0xff 0001.500 -2.000000e+00");
  EXPECT_EQ(printed("%s|%10s|%.2s", {1, 2, 3}), "text1|     text2|te");
  EXPECT_EQ(printed("%c%c", {'a' | std::uint64_t{'b'} << 32}), "ab");
  EXPECT_EQ(printed("%*d|%-*d", {4 | 7ULL << 32, 4 | 7ULL << 32}), "   7|7   ");
  EXPECT_EQ(printed("%p", {0x1234}), "0x1234");
}

TEST(DevicePrintf, LeavesWhatIsNoConversion) {
  EXPECT_EQ(printed("50%y %-5k", {}), "50%y %-5k");
  EXPECT_EQ(printed("%", {}), "%");
  EXPECT_EQ(printed("%n", {1}), "%n");
}

TEST(DevicePrintf, AMissingArgumentGivesNothing) { EXPECT_EQ(printed("%d", {}), std::nullopt); }

constexpr std::string_view kPrint = R"(
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.global .b8 format[] = {108, 97, 110, 101, 32, 37, 100, 32, 111, 102, 32,
                         37, 115, 58, 32, 37, 46, 49, 102, 59, 0};  // lane %d of %s: %.1f;
.global .b8 name[] = {119, 97, 114, 112, 0};  // warp
.visible .entry k() {
  .local .align 8 .b8 arguments[24];
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  mov.u32 %r1, %laneid;
  mov.u64 %rd1, arguments;
  st.local.u32 [%rd1], %r1;
  cvta.local.u64 %rd2, %rd1;
  mov.u64 %rd3, name;
  st.local.u64 [%rd1+8], %rd3;
  mov.f64 %rd4, 0d3FF8000000000000;
  st.local.u64 [%rd1+16], %rd4;
  mov.u64 %rd5, format;
  { .param .b64 a; .param .b64 b; .param .b32 c;
    st.param.b64 [a], %rd5;
    st.param.b64 [b], %rd2;
    call.uni (c), vprintf, (a, b);
    ld.param.b32 %r2, [c];
  }
  setp.ne.u32 %p1, %r2, 3;
  @%p1 trap;
  ret;
})";

TEST(Builtins, PrintfWritesToStandardOutput) {
  TestKernel kernel(kPrint);
  ::testing::internal::CaptureStdout();
  const auto fault = kernel.run({.block = {2, 1, 1}});
  std::fflush(stdout);
  const std::string out = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(fault, std::nullopt);
  EXPECT_EQ(out, "lane 0 of warp: 1.5;lane 1 of warp: 1.5;");
}

TEST(Builtins, AFailedAssertionIsAFault) {
  TestKernel kernel(R"(
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d,
                           .param .b64 e);
.global .b8 condition[] = {110, 32, 60, 32, 53, 0};       // n < 5
.global .b8 file[] = {97, 112, 112, 46, 99, 117, 0};      // app.cu
.global .b8 function[] = {118, 111, 105, 100, 32, 107, 0};  // void k
.visible .entry k() {
  .reg .b64 %rd<9>;
  mov.u64 %rd1, condition;
  mov.u64 %rd2, file;
  mov.u64 %rd3, function;
  { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
    st.param.b64 [a], %rd1;
    st.param.b64 [b], %rd2;
    st.param.b32 [c], 12;
    st.param.b64 [d], %rd3;
    st.param.b64 [e], 1;
    call.uni __assertfail, (a, b, c, d, e);
  }
  ret;
})");
  ::testing::internal::CaptureStderr();
  const auto fault = kernel.run({});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "app.cu:12: void k: block: [0,0,0], thread: [0,0,0] Assertion `n < 5` failed.\n");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kAssert);
  EXPECT_THAT(fault->detail, HasSubstr("app.cu:12: n < 5"));
}

constexpr std::string_view kMalloc = R"(
.extern .func (.param .b64 result) malloc(.param .b64 bytes);
.extern .func free(.param .b64 address);
.visible .entry k(.param .u64 out, .param .u64 bytes, .param .u32 keep) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .reg .pred %p<3>;
  ld.param.u64 %rd1, [bytes];
  { .param .b64 a; .param .b64 b;
    st.param.b64 [a], %rd1;
    call.uni (b), malloc, (a);
    ld.param.b64 %rd2, [b];
  }
  mov.u32 %r1, %tid.x;
  setp.ne.u64 %p1, %rd2, 0;
  @%p1 st.u32 [%rd2], %r1;
  ld.param.u64 %rd3, [out];
  mul.wide.u32 %rd4, %r1, 8;
  add.u64 %rd5, %rd3, %rd4;
  st.u64 [%rd5], %rd2;
  ld.param.u32 %r2, [keep];
  setp.ne.u32 %p2, %r2, 0;
  @%p2 exit;
  { .param .b64 a;
    st.param.b64 [a], %rd2;
    call.uni free, (a);
  }
  ret;
})";

TEST(Builtins, MallocGivesEachThreadItsOwnMemory) {
  TestKernel kernel(kMalloc);
  constexpr std::uint32_t kThreads = 1000;
  const auto out = kernel.buffer<std::uint64_t>(kThreads);
  ASSERT_EQ(kernel.run({.block = {kThreads, 1, 1}}, out, std::uint64_t{100}, 1), std::nullopt);
  const auto addresses = kernel.read(out);
  const std::set<std::uint64_t> different(addresses.begin(), addresses.end());
  EXPECT_EQ(different.size(), kThreads);
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    ASSERT_EQ(addresses[i] % 16, 0U);
    ASSERT_EQ(*reinterpret_cast<std::uint32_t*>(addresses[i]), i);  // NOLINT
  }
}

TEST(Builtins, MallocGivesNothingWhereTheHeapIsFull) {
  TestKernel kernel(kMalloc);
  ASSERT_TRUE(kernel.memory().heap().set_size(1 << 16));
  const auto out = kernel.buffer<std::uint64_t>(2);
  ASSERT_EQ(kernel.run({.block = {2, 1, 1}}, out, std::uint64_t{1} << 15, 1), std::nullopt);
  EXPECT_NE(kernel.read(out)[0], 0U);
  EXPECT_EQ(kernel.read(out)[1], 0U);
  EXPECT_FALSE(kernel.memory().heap().set_size(1 << 20)) << "the heap is in use";
}

TEST(Heap, UsesAgainWhatWasFreed) {
  Memory memory(1 << 24);
  const std::uint64_t first = memory.heap().allocate(1000);
  EXPECT_TRUE(memory.heap().release(first));
  EXPECT_FALSE(memory.heap().release(first));
  EXPECT_EQ(memory.heap().allocate(900), first);
  EXPECT_FALSE(memory.heap().release(first + 16));
  EXPECT_FALSE(memory.heap().release(0));
}

}  // namespace
}  // namespace egpu::emu
