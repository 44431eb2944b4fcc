#include "bpf/assemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "bpf/disassemble.h"
#include "bpf/samples.h"

namespace egpu::bpf {
namespace {

using ::testing::HasSubstr;
using testing::Sample;
using testing::samples;

std::vector<Instruction> assembled(std::string_view text) {
  const auto instructions = assemble(text);
  EXPECT_TRUE(instructions) << to_string(instructions.error());
  return instructions ? *instructions : std::vector<Instruction>{};
}

TEST(Assemble, ReadsWhatTheDisassemblerWrites) {
  std::vector<Sample> all = samples();
  all.push_back({CallSubprogram{3}, "call function 3"});
  all.push_back({LoadImm64{Imm64Kind::kFunction, kR2, 12}, "r2 = function 12"});
  for (const Sample& sample : all) {
    EXPECT_EQ(assembled(sample.text), std::vector<Instruction>{sample.instruction}) << sample.text;
    EXPECT_EQ(assembled(to_string(sample.instruction)),
              std::vector<Instruction>{sample.instruction});
  }
}

TEST(Assemble, ResolvesLabels) {
  const std::vector<Instruction> expected = {JumpIf{Condition::kEq, Width::k64, kR1, Imm{0}, 3},
                                             CallSubprogram{4},
                                             Jump{0},
                                             Exit{},
                                             Mov{Width::k64, kR0, Imm{7}},
                                             Exit{}};
  EXPECT_EQ(assembled("again: if r1 == 0 goto done\n"
                      "  call function seven   # with a comment\n"
                      "\n"
                      "  goto again\n"
                      "done:\n"
                      "  exit\n"
                      "seven: r0 = 7\n"
                      "exit"),
            expected);
}

TEST(Assemble, ReadsNumbersAsSignedOrAsBits) {
  const std::vector<Instruction> minus_one = {Mov{Width::k64, kR1, Imm{-1}}};
  EXPECT_EQ(assembled("r1 = -1"), minus_one);
  EXPECT_EQ(assembled("r1 = 0xffffffff"), minus_one);
  EXPECT_EQ(assembled("r1 = 4294967295"), minus_one);
  const std::vector<Instruction> smallest = {LoadImm64{Imm64Kind::kConstant, kR1, 1ULL << 63}};
  EXPECT_EQ(assembled("r1 = 0x8000000000000000 ll"), smallest);
  EXPECT_EQ(assembled("r1 = -0x8000000000000000 ll"), smallest);
}

TEST(Assemble, RefusesByLine) {
  struct Case {
    const char* text;
    const char* message;
  };
  const Case cases[] = {
      {"jump 5", "no instruction starts with \"jump\""},
      {"exit now", "the end of the line was expected before \"now\""},
      {"r11 = 0", "no instruction starts with \"r11\""},
      {"r1 ** 2", "\"**\" is no operation"},
      {"r1 += w2", "same width"},
      {"w1 = r2", "same width"},
      {"r1 = 0x100000000", "does not fit 32 bits"},
      {"r1 = 5x", "a number was expected"},
      {"w1 = 5 ll", "r, not w"},
      {"w1 = (s32)w2", "no move extends 32 bits"},
      {"r1 = -r2", "one register"},
      {"r1 = be16 r2", "one register"},
      {"r1 = be24 r1", "\"be24\" is no value"},
      {"w1 = *(u8 *)(r1 +0)", "r, not w"},
      {"r1 = *(u24 *)(r1 +0)", "no type of memory"},
      {"r1 = *(s64 *)(r1 +0)", "no type of memory"},
      {"r1 = *(u8 *)(r1 +40000)", "16 bits"},
      {"*(s8 *)(r1 +0) = 1", "no sign"},
      {"lock atomic_nand(*(u32 *)(r1 +0), r2)", "no atomic operation"},
      {"lock atomic_xchg(*(u32 *)(r1 +0), r2)", "old value"},
      {"lock atomic_add(*(u64 *)(r1 +0), r2)", "size of the memory"},
      {"r2 = atomic_add(*(u32 *)(r1 +0), r2)", "gives no value"},
      {"r3 = atomic_fetch_add(*(u32 *)(r1 +0), r2)", "goes to r2"},
      {"r0 = atomic_cmpxchg(*(u32 *)(r1 +0), r3, r2)", "compares with r0"},
      {"r2 = atomic_fetch_xchg(*(u32 *)(r1 +0), r2)", "leave fetch_ out"},
      {"if r1 =< 0 goto 0", "a comparison was expected"},
      {"goto nowhere", "no label is called \"nowhere\""},
      {"r1 = map[-1]", "an index was expected"},
      {"r1 = map_data[0] -8", "a byte, such as +8, was expected"},
      {"w1 = read_only[0] +8", "r, not w"},
      {"call extern x", "the index of an extern was expected"},
      {"5: exit", "a label must be a new name"},
  };
  for (const Case& test : cases) {
    const auto refused = assemble(std::string("exit\n") + test.text);
    ASSERT_FALSE(refused) << test.text;
    EXPECT_THAT(refused.error().message, HasSubstr(test.message));
    EXPECT_EQ(refused.error().place, "line 2");
  }
  EXPECT_FALSE(assemble("a: exit\na: exit"));
}

}  // namespace
}  // namespace egpu::bpf
