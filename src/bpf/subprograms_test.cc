#include "bpf/subprograms.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "bpf/assemble.h"

namespace egpu::bpf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<std::vector<Subprogram>> subprograms(const std::string& text) {
  auto instructions = assemble(text);
  EXPECT_TRUE(instructions) << to_string(instructions.error());
  DecodedProgram program;
  if (instructions) program.instructions = *std::move(instructions);
  for (std::uint32_t i = 0; i < program.instructions.size(); ++i) program.slots.push_back(i);
  return find_subprograms(program, [](std::uint32_t slot) { return fmt::format("slot {}", slot); });
}

// `count` functions, of which each but the last calls the next.
std::string chain(unsigned count) {
  std::string text;
  for (unsigned i = 0; i + 1 < count; ++i)
    text += fmt::format("call function {}\nexit\n", 2 * i + 2);
  return text + "r0 = 0\nexit\n";
}

TEST(Subprograms, BeginWhereCallsLead) {
  const auto functions = subprograms(
      "call function twice\n call function once\n exit\n"
      "once: r0 = r1\n exit\n"
      "twice: r0 = r1\n r0 += r1\n exit\n");
  ASSERT_TRUE(functions) << to_string(functions.error());
  EXPECT_THAT(*functions, ElementsAre(Subprogram{0, 3}, Subprogram{3, 5}, Subprogram{5, 8}));
}

TEST(Subprograms, BeginWhereHelpersCallBack) {
  const auto functions = subprograms("r2 = function 3\ncall 181\nexit\nr0 = 0\nexit\n");
  ASSERT_TRUE(functions) << to_string(functions.error());
  EXPECT_THAT(*functions, ElementsAre(Subprogram{0, 3}, Subprogram{3, 5}));
}

TEST(Subprograms, NestEightFramesAtMost) {
  EXPECT_TRUE(subprograms(chain(8)));
  const auto deeper = subprograms(chain(9));
  ASSERT_FALSE(deeper);
  EXPECT_THAT(deeper.error().message, HasSubstr("deeper than 8"));
}

TEST(Subprograms, DoNotCallThemselves) {
  const char* const programs[] = {
      "call function 0\nexit\n",
      "call function 2\nexit\ncall function 4\nexit\ncall function 2\nexit\n",
      "r2 = function 0\ncall 181\nexit\n",
  };
  for (const char* program : programs) {
    const auto recursive = subprograms(program);
    ASSERT_FALSE(recursive) << program;
    EXPECT_THAT(recursive.error().message, HasSubstr("calls itself"));
  }
}

TEST(Subprograms, MayBeCalledFromManyPlaces) {
  // 2 to the power of 7 ways through the calls: each function is looked at once.
  std::string text;
  for (unsigned i = 0; i < 7; ++i) {
    text += fmt::format("call function {0}\ncall function {0}\nexit\n", 3 * i + 3);
  }
  EXPECT_TRUE(subprograms(text + "r0 = 1\nexit\n"));
}

TEST(Subprograms, KeepTheirJumpsInside) {
  const auto jump = subprograms("call function 3\ngoto 3\nexit\nr0 = 0\nexit\n");
  ASSERT_FALSE(jump);
  EXPECT_EQ(jump.error().message, "the jump leaves its function");
  EXPECT_EQ(jump.error().place, "slot 1");
}

TEST(Subprograms, EndWithExitOrJump) {
  const auto open = subprograms("call function 1\nr0 = 0\nexit\n");
  ASSERT_FALSE(open);
  EXPECT_THAT(open.error().message, HasSubstr("runs past its last instruction"));
}

}  // namespace
}  // namespace egpu::bpf
