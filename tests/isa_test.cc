// The cases of tests/isa by decoder, encoder, disassembler and assembler, and by the host JIT.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "bpf/assemble.h"
#include "bpf/decode.h"
#include "bpf/disassemble.h"
#include "bpf/encode.h"
#include "codegen/host_jit.h"
#include "support/isa_cases.h"

namespace egpu::isa {
namespace {

using codegen::Optimization;
using testing::HasSubstr;

std::string place(std::uint32_t slot) { return fmt::format("slot {}", slot); }

class IsaTest : public testing::TestWithParam<std::filesystem::path> {
 protected:
  static std::vector<Case> cases() {
    auto loaded = load_cases(GetParam());
    EXPECT_TRUE(loaded) << to_string(loaded.error());
    return loaded ? *std::move(loaded) : std::vector<Case>{};
  }
};

Result<codegen::HostProgram> compile(const Case& test, Optimization optimization) {
  EGPU_ASSIGN(const bpf::DecodedProgram program, bpf::decode_raw(test.code, place));
  return codegen::jit(program, place, optimization);
}

void expect_round_trip(const Case& test) {
  const auto program = bpf::decode_raw(test.code, place);
  if (!program) {
    ASSERT_FALSE(test.refusal.empty()) << to_string(program.error());
    EXPECT_THAT(to_string(program.error()), HasSubstr(test.refusal));
    return;
  }
  const auto encoded = bpf::encode(program->instructions);
  ASSERT_TRUE(encoded) << to_string(encoded.error());
  EXPECT_EQ(encoded->code, test.code);
  std::string text;
  for (const bpf::Instruction& instruction : program->instructions)
    text += bpf::to_string(instruction) + "\n";
  const auto assembled = bpf::assemble(text);
  ASSERT_TRUE(assembled) << to_string(assembled.error()) << "\n" << text;
  EXPECT_EQ(*assembled, program->instructions);
}

void expect_result(const Case& test, Optimization optimization) {
  const auto program = compile(test, optimization);
  if (!test.refusal.empty()) {
    ASSERT_FALSE(program) << "was accepted";
    EXPECT_THAT(program.error().message, HasSubstr(test.refusal));
    return;
  }
  ASSERT_TRUE(program) << to_string(program.error());
  std::vector<std::byte> memory = test.memory;
  EXPECT_EQ((*program)(memory.data(), memory.size()), test.result);
  EXPECT_EQ(memory, test.after.value_or(memory));
}

TEST_P(IsaTest, RoundTrip) {
  for (const Case& test : cases()) {
    SCOPED_TRACE(test.name);
    expect_round_trip(test);
  }
}

// Most cases work on constants, which the optimiser folds: both its arithmetic and the machine's
// count.
TEST_P(IsaTest, HostJit) {
  for (const Case& test : cases()) {
    SCOPED_TRACE(test.name);
    expect_result(test, Optimization::kFull);
    expect_result(test, Optimization::kNone);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, IsaTest, testing::ValuesIn(case_files()), [](const auto& file) {
  std::string name = file.param.stem().string();
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace egpu::isa
