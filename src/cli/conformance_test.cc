#include <dlfcn.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bpf/assemble.h"
#include "bpf/encode.h"
#include "cli/conformance_command.h"
#include "cli/raw_run.h"
#include "cli/temporary_tree.h"

namespace egpu::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kExit = "95 00 00 00 00 00 00 00";

Installation nowhere() { return {.executable = "/nowhere/bin/egpu"}; }

std::string place(std::uint32_t slot) { return fmt::format("slot {}", slot); }

std::string hex(const std::string& assembly) {
  const auto instructions = bpf::assemble(assembly);
  EXPECT_TRUE(instructions) << to_string(instructions.error());
  const auto encoded = bpf::encode(*instructions);
  std::string text;
  for (const std::byte byte : encoded->code)
    text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

std::string output(const std::string& program, const std::string& memory = {}) {
  const auto outcome =
      conformance_command(nowhere(), {.engine = "jit", .memory = memory, .cases = {}}, program);
  EXPECT_TRUE(outcome) << to_string(outcome.error());
  return outcome ? outcome->text : "";
}

Error refusal(const std::string& program, const ConformanceOptions& options = {}) {
  const auto outcome = conformance_command(nowhere(), options, program);
  EXPECT_FALSE(outcome);
  return outcome ? Error{} : outcome.error();
}

TEST(Conformance, PrintsTheResultInHexadecimal) {
  EXPECT_EQ(output(std::string("b7 00 00 00 ff ff ff ff\n") + kExit), "ffffffffffffffff\n");
  EXPECT_EQ(output(hex("r0 = 42\nexit")), "2a\n");
  EXPECT_EQ(output(kExit), "0\n");
}

TEST(Conformance, GivesMemoryAndItsSize) {
  EXPECT_EQ(output(hex("r0 = *(u16 *)(r1 +1)\nexit"), "aa bb cc"), "ccbb\n");
  EXPECT_EQ(output(hex("r0 = r2\nexit"), "aa bb cc"), "3\n");
  EXPECT_EQ(output(hex("r0 = r2\nexit")), "0\n");
}

TEST(Conformance, RefusesWhatItCannotDecode) {
  EXPECT_THAT(refusal("b7 0").place, HasSubstr("standard input"));
  EXPECT_THAT(refusal(kExit, {.memory = "a"}).place, HasSubstr("MEMORY-HEX"));
  EXPECT_THAT(refusal("b7 00 00 00").message, HasSubstr("not whole instructions"));
  EXPECT_THAT(refusal("20 00 00 00 00 00 00 00").message, HasSubstr("legacy packet access"));
  EXPECT_EQ(refusal("20 00 00 00 00 00 00 00").place, "instruction slot 0");
  EXPECT_THAT(refusal(hex("call 5\nexit")).message, HasSubstr("helper 5"));
}

TEST(Conformance, WithoutADriverTheGpuIsRefused) {
  if (::dlopen("libcuda.so.1", RTLD_LAZY) != nullptr) GTEST_SKIP() << "this machine has a driver";
  const Error error = refusal(kExit, {.engine = "gpu", .memory = {}, .cases = {}});
  EXPECT_EQ(error.fault, Fault::kInput);
  EXPECT_THAT(error.message, HasSubstr("libcuda.so.1"));
  EXPECT_THAT(error.remedy, HasSubstr("--engine jit"));
}

TEST(Conformance, WithoutTheEmulatorItsFolderIsNamed) {
  const Error error = refusal(kExit, {.engine = "emu", .memory = {}, .cases = {}});
  EXPECT_EQ(error.message, "egpu's emulator is missing");
  EXPECT_EQ(error.place, "/nowhere/lib/egpu/emulator/libcuda.so.1");
}

TEST(Conformance, WhatCannotBeCompiledNeedsNoGpu) {
  EXPECT_THAT(refusal(hex("call 5\nexit"), {.engine = "gpu", .memory = {}, .cases = {}}).message,
              HasSubstr("helper 5"));
}

class Cases : public testing::Test {
 protected:
  Result<Outcome> run(const std::string& content) const {
    return conformance_command(
        nowhere(), {.engine = "jit", .memory = {}, .cases = {tree.add("a.case", content)}}, "");
  }

  TemporaryTree tree;
};

TEST_F(Cases, CountsWhatAgrees) {
  const auto outcome =
      run("case sum\n  r0 = $1\n  r0 += $2\n  exit\n1 2 => 3\n0 -1 => 0xffffffffffffffff\n"
          "case store\nmemory 00 00\nafter 00 07\n  *(u8 *)(r1 +1) = 7\n  exit\n=> 0\n"
          "case helper\n  call 5\n  exit\n=> refused helper 5\n");
  ASSERT_TRUE(outcome) << to_string(outcome.error());
  EXPECT_EQ(outcome->text, "4 rows: 4 agree, 0 differ (host, each optimised and not)\n");
  EXPECT_EQ(outcome->exit_code, 0);
}

TEST_F(Cases, NamesEachDifference) {
  const auto outcome =
      run("case result\n  r0 = 1\n  exit\n=> 2\n"
          "case memory\nmemory 00 00\nafter 00 08\n  *(u8 *)(r1 +1) = 7\n  exit\n=> 0\n"
          "case accepted\n  exit\n=> refused helper\n"
          "case refused\n  call 5\n  exit\n=> 0\n");
  ASSERT_TRUE(outcome) << to_string(outcome.error());
  EXPECT_THAT(
      outcome->text,
      AllOf(HasSubstr("a.case:4: result: host, optimised: r0 is 0x1, not 0x2\n"),
            HasSubstr("a.case:4: result: host, not optimised: r0 is 0x1, not 0x2\n"),
            HasSubstr("a.case:10: memory: host, optimised: byte 1 of the memory differs\n"),
            HasSubstr("a.case:13: accepted: host, optimised: the program was not refused\n"),
            HasSubstr("a.case:17: refused: host, optimised: instruction slot 0: helper 5"),
            HasSubstr("4 rows: 0 agree, 4 differ (")));
  EXPECT_EQ(outcome->exit_code, 1);
}

TEST_F(Cases, ACrashIsAnError) {
  const auto outcome = run("case wild\n  r1 = 0\n  r0 = *(u8 *)(r1 +0)\n  exit\n=> 0\n");
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("signal 11"));
}

TEST_F(Cases, RefusesWhatIsNoCaseFile) {
  const auto damaged = run("case a\nnonsense\n");
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().place, "a.case:2");
  EXPECT_FALSE(
      conformance_command(nowhere(), {.engine = "jit", .memory = "00", .cases = {"a.case"}}, ""));
}

TEST(RawRun, AWildAccessIsAnError) {
  const Error null = refusal(hex("r1 = 0\nr0 = *(u64 *)(r1 +0)\nexit"), {.memory = "00"});
  EXPECT_EQ(null.fault, Fault::kInput);
  EXPECT_EQ(null.message, "the program accessed memory that it does not have");
  EXPECT_THAT(null.remedy, HasSubstr("1 bytes at r1"));
  EXPECT_THAT(refusal(hex("r1 = 0x7fffffffffff0000 ll\n*(u8 *)(r1 +0) = 1\nexit")).message,
              HasSubstr("memory that it does not have"));
}

TEST(RawRun, AnEndlessLoopIsAnError) {
  const auto instructions = bpf::assemble("again: r0 += 1\ngoto again");
  const auto decoded = bpf::decode_raw(bpf::encode(*instructions)->code, place);
  const auto program = codegen::jit(*decoded, place);
  ASSERT_TRUE(program) << to_string(program.error());
  const auto result = run_on_host(*program, {}, std::chrono::milliseconds(100));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "the program did not end within 100ms");
}

}  // namespace
}  // namespace egpu::cli
