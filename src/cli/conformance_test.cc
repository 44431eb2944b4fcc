#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bpf/assemble.h"
#include "bpf/encode.h"
#include "cli/conformance_command.h"
#include "cli/isolated_run.h"

namespace egpu::cli {
namespace {

using testing::HasSubstr;

constexpr const char* kExit = "95 00 00 00 00 00 00 00";

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
  const auto outcome = conformance_command({.memory = memory}, program);
  EXPECT_TRUE(outcome) << to_string(outcome.error());
  return outcome ? outcome->text : "";
}

Error refusal(const std::string& program, const ConformanceOptions& options = {}) {
  const auto outcome = conformance_command(options, program);
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

TEST(Conformance, HasNoGpuYet) {
  EXPECT_THAT(refusal(kExit, {.engine = "gpu", .memory = {}}).message, HasSubstr("later version"));
}

TEST(IsolatedRun, AWildAccessIsAnError) {
  const Error null = refusal(hex("r1 = 0\nr0 = *(u64 *)(r1 +0)\nexit"), {.memory = "00"});
  EXPECT_EQ(null.fault, Fault::kInput);
  EXPECT_EQ(null.message, "the program accessed memory that it does not have");
  EXPECT_THAT(null.remedy, HasSubstr("1 bytes at r1"));
  EXPECT_THAT(refusal(hex("r1 = 0x7fffffffffff0000 ll\n*(u8 *)(r1 +0) = 1\nexit")).message,
              HasSubstr("memory that it does not have"));
}

TEST(IsolatedRun, AnEndlessLoopIsAnError) {
  const auto instructions = bpf::assemble("again: r0 += 1\ngoto again");
  const auto decoded = bpf::decode_raw(bpf::encode(*instructions)->code, place);
  const auto program = codegen::jit(*decoded, place);
  ASSERT_TRUE(program) << to_string(program.error());
  const auto result = run_isolated(*program, {}, std::chrono::milliseconds(100));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "the program did not end within 100ms");
}

}  // namespace
}  // namespace egpu::cli
