// What cases of tests/isa cannot express; those are the test of each instruction.
#include "codegen/host_jit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "bpf/assemble.h"

namespace egpu::codegen {
namespace {

using ::testing::HasSubstr;

Result<HostProgram> compile(const std::string& text) {
  auto instructions = bpf::assemble(text);
  EXPECT_TRUE(instructions) << to_string(instructions.error());
  bpf::DecodedProgram program;
  if (instructions) program.instructions = *std::move(instructions);
  for (std::uint32_t i = 0; i < program.instructions.size(); ++i) program.slots.push_back(i);
  return jit(program, [](std::uint32_t slot) { return fmt::format("slot {}", slot); });
}

TEST(HostJit, PassesMemoryAndItsSize) {
  const auto program = compile(
      "r0 = *(u64 *)(r1 +0)\n"
      "*(u64 *)(r1 +8) = r2\n"
      "exit\n");
  ASSERT_TRUE(program) << to_string(program.error());
  std::uint64_t memory[2] = {0x1122334455667788, 0};
  EXPECT_EQ((*program)(memory, sizeof memory), 0x1122334455667788);
  EXPECT_EQ(memory[1], sizeof memory);
}

TEST(HostJit, OtherRegistersStartAtZero) {
  const auto program =
      compile("r0 += r3\nr0 += r4\nr0 += r5\nr0 += r6\nr0 += r7\nr0 += r8\nr0 += r9\nexit\n");
  ASSERT_TRUE(program) << to_string(program.error());
  EXPECT_EQ((*program)(nullptr, 0), 0U);
}

TEST(HostJit, ProgramsLiveSideBySide) {
  std::vector<HostProgram> programs;
  for (int i = 0; i < 3; ++i) {
    auto program = compile(fmt::format("r0 = {}\nexit\n", i));
    ASSERT_TRUE(program) << to_string(program.error());
    programs.push_back(std::move(*program));
  }
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(programs[i](nullptr, 0), i);
}

TEST(HostJit, AtomicsAreAtomic) {
  const auto program = compile(
      "r3 = 100000\n"
      "again: r4 = 1\n"
      "lock atomic64_add(*(u64 *)(r1 +0), r4)\n"
      "r4 = atomic_fetch_add(*(u32 *)(r1 +8), r4)\n"
      "r3 -= 1\n"
      "if r3 != 0 goto again\n"
      "exit\n");
  ASSERT_TRUE(program) << to_string(program.error());
  struct {
    std::uint64_t added = 0;
    std::uint32_t fetched = 0;
  } memory;
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { (*program)(&memory, sizeof memory); });
  }
  EXPECT_EQ(memory.added, 400'000U);
  EXPECT_EQ(memory.fetched, 400'000U);
}

TEST(HostJit, RefusesHelpersByNumber) {
  const auto refused = compile("call 5\nexit\n");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault, Fault::kInput);
  EXPECT_EQ(refused.error().message, "helper 5 cannot be called by a raw program");
  EXPECT_EQ(refused.error().place, "slot 0");
}

TEST(HostJit, RefusesRecursion) {
  const auto refused = compile("call function 0\nexit\n");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("deeper than 8 frames"));
}

}  // namespace
}  // namespace egpu::codegen
