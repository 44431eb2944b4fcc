// What cases of tests/isa cannot express: the shape of the PTX. What the code does is tested by
// those, on a GPU.
#include "codegen/raw_kernel.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bpf/assemble.h"
#include "codegen/test_support.h"

namespace egpu::codegen {
namespace {

using testing::contains_in_order;
using ::testing::HasSubstr;
using ::testing::Not;

RawProgram raw(const std::string& text) {
  auto instructions = bpf::assemble(text);
  EXPECT_TRUE(instructions) << to_string(instructions.error());
  RawProgram result{.program = {},
                    .place = [](std::uint32_t slot) { return fmt::format("slot {}", slot); }};
  if (instructions) result.program.instructions = *std::move(instructions);
  for (std::uint32_t i = 0; i < result.program.instructions.size(); ++i)
    result.program.slots.push_back(i);
  return result;
}

std::string ptx_of(const std::vector<std::string>& programs,
                   Optimization optimization = Optimization::kFull) {
  std::vector<RawProgram> all;
  all.reserve(programs.size());
  for (const std::string& program : programs) all.push_back(raw(program));
  const auto ptx = generate_raw_kernels(all, optimization);
  EXPECT_TRUE(ptx) << to_string(ptx.error());
  return ptx ? *ptx : "";
}

TEST(RawKernel, OneEntryForEachProgram) {
  EXPECT_THAT(ptx_of({"r0 = 1\nexit", "r0 = 2\nexit"}),
              contains_in_order({".visible .entry egpu_raw_0(", ".param .u64 egpu_raw_0_param_0",
                                 ".param .u64 egpu_raw_0_param_3", "st.global.b64",
                                 ".visible .entry egpu_raw_1(", "st.global.b64"}));
}

TEST(RawKernel, MemoryAndItsSizeAreParameters) {
  EXPECT_THAT(ptx_of({"*(u8 *)(r1 +3) = r2\nexit"}),
              contains_in_order({"%rd1, [egpu_raw_0_param_0]", "%rd2, [egpu_raw_0_param_1]",
                                 "st.volatile.global.b8 \t[%rd1+3], %rd2;"}));
}

// A raw program's addresses may be unaligned, which the GPU's wide accesses must not be.
TEST(RawKernel, AccessesAreBytes) {
  for (const Optimization level : {Optimization::kFull, Optimization::kNone}) {
    const std::string ptx =
        ptx_of({"r3 = *(u64 *)(r1 +0)\n*(u32 *)(r1 +9) = r3\nr0 = *(s16 *)(r1 +1)\nexit"}, level);
    EXPECT_THAT(ptx, contains_in_order({"ld.volatile.global.b8", "st.volatile.global.b8"}));
    for (const char* const wide : {"b16", "b32", "b64"}) {
      EXPECT_THAT(ptx, Not(HasSubstr(fmt::format("volatile.global.{}", wide))));
    }
  }
}

TEST(RawKernel, AtomicsHaveOrderingAndScope) {
  for (const Optimization level : {Optimization::kFull, Optimization::kNone})
    EXPECT_THAT(
        ptx_of({"r3 = 1\n"
                "lock atomic_add(*(u32 *)(r1 +0), r3)\n"
                "r3 = atomic64_fetch_xor(*(u64 *)(r1 +8), r3)\n"
                "r3 = atomic_xchg(*(u32 *)(r10 -4), r3)\n"
                "r0 = atomic64_cmpxchg(*(u64 *)(r1 +8), r0, r3)\n"
                "exit"},
               level),
        contains_in_order({"red.relaxed.gpu.global.add.u32", "atom.acq_rel.gpu.global.xor.b64",
                           "atom.acq_rel.gpu.global.exch.b32", "atom.acq_rel.gpu.global.cas.b64"}));
}

// The main function's stack is the last of eight.
TEST(RawKernel, StacksAreInGlobalMemory) {
  const std::string ptx = ptx_of({"*(u8 *)(r10 -1) = 7\nr0 = *(u8 *)(r10 -1)\nexit"});
  EXPECT_THAT(ptx, contains_in_order({"egpu_raw_0_param_2", "st.volatile.global.b8", "+4095]",
                                      "ld.volatile.global.b8", "+4095]"}));
  EXPECT_THAT(ptx, Not(HasSubstr(".local")));
}

TEST(RawKernel, ACalleesStackIsBelowItsCallers) {
  const std::string ptx = ptx_of({"call function 2\nexit\n*(u8 *)(r10 -1) = 7\nexit"});
  EXPECT_THAT(ptx, contains_in_order({"egpu_raw_0_param_2", "st.volatile.global.b8", "+3583]"}));
}

TEST(RawKernel, WithoutOptimisationInstructionsStay) {
  const std::string program = "r0 = 6\nr0 *= 7\ncall function 4\nexit\nr0 = 1\nexit";
  EXPECT_THAT(ptx_of({program}), Not(HasSubstr("mul.lo.s64")));
  const std::string ptx = ptx_of({program}, Optimization::kNone);
  EXPECT_THAT(ptx, HasSubstr("mul.lo.s64"));
  EXPECT_THAT(ptx, HasSubstr(".func  (.param .b64 func_retval0) program_0_4("));
}

TEST(RawKernel, NothingOfTheRuntimeIsLeft) {
  for (const Optimization level : {Optimization::kFull, Optimization::kNone})
    EXPECT_THAT(ptx_of({"r3 = 1\nlock atomic64_or(*(u64 *)(r1 +0), r3)\nexit"}, level),
                Not(HasSubstr("egpu_reduce")));
}

TEST(RawKernel, IsDeterministic) {
  const std::vector<std::string> programs = {"r0 = r2\nr0 %= r1\nexit",
                                             "call function 2\nexit\nexit"};
  for (const Optimization level : {Optimization::kFull, Optimization::kNone})
    EXPECT_EQ(ptx_of(programs, level), ptx_of(programs, level));
}

TEST(RawKernel, RefusesHelpersAndRecursion) {
  const std::vector<RawProgram> programs = {raw("exit"), raw("call 5\nexit")};
  const auto helper = generate_raw_kernels(programs);
  ASSERT_FALSE(helper);
  EXPECT_EQ(helper.error().fault, Fault::kInput);
  EXPECT_EQ(helper.error().message, "helper 5 cannot be called by a raw program");
  EXPECT_EQ(helper.error().place, "slot 0");
  const auto recursion = generate_raw_kernels(std::vector{raw("call function 0\nexit")});
  ASSERT_FALSE(recursion);
  EXPECT_THAT(recursion.error().message, HasSubstr("deeper than 8 frames"));
}

}  // namespace
}  // namespace egpu::codegen
