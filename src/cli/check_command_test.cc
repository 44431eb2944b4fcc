#include "cli/check_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/ptx_command.h"

namespace egpu::cli {
namespace {

using testing::HasSubstr;

const Context& context() {
  static const Context context{
      .installation = {.executable = EGPU_BINARY_DIR "/bin/egpu"}, .output = {}, .messages = {}};
  return context;
}

TEST(CheckCommand, TellsTheCostOfAnAcceptedTool) {
  const auto outcome = check_command(context(), {.object = "kernelcount"});
  ASSERT_TRUE(outcome) << to_string(outcome.error());
  EXPECT_EQ(outcome->exit_code, 0);
  EXPECT_THAT(outcome->text, HasSubstr("1 program, 1 map"));
  EXPECT_THAT(outcome->text, testing::ContainsRegex("count_entry +gpu/entry:\\* .* accepted"));
  EXPECT_THAT(outcome->text, testing::ContainsRegex("kernels +PERCPU_ARRAY +16 B +1024 +2.1 MiB"));
}

TEST(CheckCommand, JsonHasTheSameFacts) {
  const auto json = nlohmann::json::parse(
      check_command(context(), {.object = "kernelcount", .json = true})->text);
  EXPECT_EQ(json["accepted"], true);
  EXPECT_EQ(json["programs"][0]["stack_bytes"], 8);
  EXPECT_GT(json["programs"][0]["max_executed_instructions"], 20);
  EXPECT_EQ(json["maps"][0]["bytes_per_shard"], 16384);
  EXPECT_TRUE(json["errors"].empty());
}

TEST(CheckCommand, ARefusedProgramIsAnErrorWithItsPlace) {
  const std::string object = EGPU_BINARY_DIR "/share/egpu/bench/refused.bpf.o";
  const auto outcome = check_command(context(), {.object = object});
  ASSERT_TRUE(outcome) << to_string(outcome.error());
  EXPECT_EQ(outcome->exit_code, 1);
  EXPECT_THAT(outcome->text, HasSubstr("refused"));
  ASSERT_EQ(outcome->errors.size(), 1u);
  EXPECT_THAT(outcome->errors[0].place, HasSubstr("refused.bpf.c:"));
  EXPECT_NE(outcome->errors[0].remedy, "");
  EXPECT_EQ(ptx_command(context(), {.object = object})->exit_code, 1);
}

const std::string& object_with_variables() {
  static const std::string path = EGPU_BINARY_DIR "/tests/programs/linking/data.bpf.o";
  return path;
}

TEST(CheckCommand, ListsTheVariablesAsTheyAreSet) {
  const auto text = check_command(
      context(), {.object = object_with_variables(), .settings = {"limit=7", "label=a=b"}});
  ASSERT_TRUE(text) << to_string(text.error());
  EXPECT_THAT(text->text, testing::ContainsRegex("limit +7 +unsigned integer of 32 bits"));
  EXPECT_THAT(text->text, testing::ContainsRegex("label +a=b +text of at most 7 bytes"));
  const auto json = nlohmann::json::parse(
      check_command(context(), {.object = object_with_variables(), .json = true})->text);
  EXPECT_EQ(json["variables"].size(), 7u);
  EXPECT_THAT(check_command(context(), {.object = "kernelcount"})->text,
              testing::Not(HasSubstr("variable")));
}

TEST(CheckCommand, RefusesVariablesThatCannotBeSet) {
  for (const char* setting : {"limit=x", "nothing=1", "limit", "=1"}) {
    const auto refused =
        check_command(context(), {.object = object_with_variables(), .settings = {setting}});
    ASSERT_FALSE(refused) << setting;
    EXPECT_EQ(refused.error().fault, Fault::kInput);
    EXPECT_NE(refused.error().remedy, "") << setting;
  }
}

TEST(PtxCommand, PrintsPtxOrIr) {
  const auto ptx = ptx_command(context(), {.object = "kernelcount"});
  ASSERT_TRUE(ptx) << to_string(ptx.error());
  EXPECT_THAT(ptx->text, HasSubstr(".func"));
  EXPECT_THAT(ptx_command(context(), {.object = "kernelcount", .llvm_ir = true})->text,
              HasSubstr("define"));
}

}  // namespace
}  // namespace egpu::cli
