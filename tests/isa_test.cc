// The cases of tests/isa by decoder, encoder, disassembler and assembler, by the host JIT and in
// the emulator. What the GPU's assembler makes of them is seen here, what the GPU itself does by
// scripts/gpu/isa.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "bpf/assemble.h"
#include "bpf/decode.h"
#include "bpf/disassemble.h"
#include "bpf/encode.h"
#include "bpf/isa_cases.h"
#include "codegen/host_jit.h"
#include "codegen/raw_kernel.h"
#include "support/toolkit.h"

namespace egpu::isa {
namespace {

using bpf::IsaCase;
using codegen::Optimization;
using testing::HasSubstr;

std::string place(std::uint32_t slot) { return fmt::format("slot {}", slot); }

std::vector<std::filesystem::path> case_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(EGPU_SOURCE_DIR "/tests/isa")) {
    if (entry.path().extension() == ".case") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

class IsaTest : public testing::TestWithParam<std::filesystem::path> {
 protected:
  static std::vector<IsaCase> cases() {
    auto loaded = bpf::load_isa_cases(GetParam());
    EXPECT_TRUE(loaded) << to_string(loaded.error());
    return loaded ? *std::move(loaded) : std::vector<IsaCase>{};
  }
};

Result<codegen::HostProgram> compile(const IsaCase& test, Optimization optimization) {
  EGPU_ASSIGN(const bpf::DecodedProgram program, bpf::decode_raw(test.code, place));
  return codegen::jit(program, place, optimization);
}

void expect_round_trip(const IsaCase& test) {
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

void expect_result(const IsaCase& test, Optimization optimization) {
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
  for (const IsaCase& test : cases()) {
    SCOPED_TRACE(test.name);
    expect_round_trip(test);
  }
}

// Most cases work on constants, which the optimiser folds: both its arithmetic and the machine's
// count.
TEST_P(IsaTest, HostJit) {
  for (const IsaCase& test : cases()) {
    SCOPED_TRACE(test.name);
    expect_result(test, Optimization::kFull);
    expect_result(test, Optimization::kNone);
  }
}

TEST_P(IsaTest, Emulator) {
  const toolkit::Outcome outcome = toolkit::run(
      {EGPU_EXECUTABLE, "conformance-plugin", "--engine", "emu", "--cases", GetParam()});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

void expect_refused_for_gpu(const IsaCase& test) {
  auto program = bpf::decode_raw(test.code, place);
  if (!program) return;  // seen by RoundTrip
  const auto ptx = codegen::generate_raw_kernels(
      std::vector<codegen::RawProgram>{{.program = *std::move(program), .place = place}});
  ASSERT_FALSE(ptx) << test.name << " was accepted";
  EXPECT_THAT(ptx.error().message, HasSubstr(test.refusal)) << test.name;
}

void expect_assembles(const std::vector<codegen::RawProgram>& programs, Optimization optimization) {
  const auto ptx = codegen::generate_raw_kernels(programs, optimization);
  ASSERT_TRUE(ptx) << to_string(ptx.error());
  const toolkit::TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "cases.ptx", as_bytes(*ptx)));
  const toolkit::Outcome outcome =
      toolkit::run({toolkit::find_tool("ptxas"), "-arch", "sm_90", "-O0", "-o",
                    folder / "cases.cubin", folder / "cases.ptx"});
  EXPECT_EQ(outcome.status, 0) << outcome.output.substr(0, 4000);
}

TEST_P(IsaTest, Ptxas) {
  if (toolkit::find_tool("ptxas").empty()) GTEST_SKIP() << "no ptxas on this machine";
  std::vector<codegen::RawProgram> programs;
  for (const IsaCase& test : cases()) {
    if (!test.refusal.empty()) {
      expect_refused_for_gpu(test);
      continue;
    }
    auto program = bpf::decode_raw(test.code, place);
    ASSERT_TRUE(program) << test.name << ": " << to_string(program.error());
    programs.push_back({.program = *std::move(program), .place = place});
  }
  if (programs.empty()) return;
  expect_assembles(programs, Optimization::kFull);
  expect_assembles(programs, Optimization::kNone);
}

INSTANTIATE_TEST_SUITE_P(Cases, IsaTest, testing::ValuesIn(case_files()), [](const auto& file) {
  std::string name = file.param.stem().string();
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace egpu::isa
