#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace egpu::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CommandLine, WhatFollowsTheDashesIsTheProgramsAlone) {
  const auto command = parse_command_line({"run", "--json", "--interval", "200", "-o", "out.json",
                                           "kernelcount", "--", "./app", "--json", "--", "-x"});
  ASSERT_TRUE(command) << to_string(command.error());
  const auto& run = std::get<RunOptions>(*command);
  EXPECT_EQ(run.object, "kernelcount");
  EXPECT_THAT(run.command, ElementsAre("./app", "--json", "--", "-x"));
  EXPECT_TRUE(run.json);
  EXPECT_EQ(run.interval_ms, 200u);
  EXPECT_EQ(run.max_wait_ms, 10'000u);
  EXPECT_EQ(run.output, "out.json");
  EXPECT_FALSE(run.emulate);
  EXPECT_TRUE(
      std::get<RunOptions>(*parse_command_line({"run", "--emulate", "a.o", "--", "b"})).emulate);
}

TEST(CommandLine, WantsJsonAlsoWhereItCannotBeParsed) {
  EXPECT_TRUE(wants_json({"check", "--json"}));
  EXPECT_TRUE(wants_json({"run", "--json", "a.o", "--", "b"}));
  EXPECT_FALSE(wants_json({"run", "a.o", "--", "b", "--json"}));
  EXPECT_FALSE(wants_json({}));
}

TEST(CommandLine, KnowsEachCommandsOptions) {
  EXPECT_EQ(std::get<CheckOptions>(*parse_command_line({"check", "a.o"})).object, "a.o");
  EXPECT_TRUE(std::get<PtxOptions>(*parse_command_line({"ptx", "--ir", "a.o"})).llvm_ir);
  EXPECT_EQ(std::get<InspectOptions>(*parse_command_line({"inspect", "a"})).compute_capability,
            "90");
  EXPECT_EQ(std::get<InspectOptions>(*parse_command_line({"inspect", "--sm", "80", "a"}))
                .compute_capability,
            "80");
  const auto conformance = std::get<ConformanceOptions>(
      *parse_command_line({"conformance-plugin", "aa bb", "--engine", "gpu"}));
  EXPECT_EQ(conformance.memory, "aa bb");
  EXPECT_EQ(conformance.engine, "gpu");
  EXPECT_FALSE(parse_command_line({"conformance-plugin", "--engine", "cpu"}));
  EXPECT_EQ(
      std::get<ConformanceOptions>(*parse_command_line({"conformance-plugin", "--engine", "emu"}))
          .engine,
      "emu");
  const auto cases = std::get<ConformanceOptions>(*parse_command_line(
      {"conformance-plugin", "--engine", "gpu", "--cases", "a.case", "b.case"}));
  EXPECT_EQ(cases.cases, (std::vector<std::string>{"a.case", "b.case"}));
  EXPECT_TRUE(std::get<DoctorOptions>(*parse_command_line({"doctor", "--json"})).json);
  EXPECT_FALSE(std::get<DemoOptions>(*parse_command_line({"demo"})).emulate);
  EXPECT_TRUE(std::get<DemoOptions>(*parse_command_line({"demo", "--emulate"})).emulate);
}

TEST(CommandLine, SettingsComeInTheirOrderAndTakeOneWordEach) {
  using testing::IsEmpty;
  const auto check = parse_command_line({"check", "--set", "a=1", "--set", "b=-x y", "a.o"});
  ASSERT_TRUE(check) << to_string(check.error());
  EXPECT_EQ(std::get<CheckOptions>(*check).object, "a.o");
  EXPECT_THAT(std::get<CheckOptions>(*check).settings, ElementsAre("a=1", "b=-x y"));
  const auto run = parse_command_line({"run", "--set=a=1", "a.o", "--", "./app", "--set", "b=2"});
  EXPECT_THAT(std::get<RunOptions>(*run).settings, ElementsAre("a=1"));
  EXPECT_THAT(std::get<PtxOptions>(*parse_command_line({"ptx", "a.o", "--set", "a=1"})).settings,
              ElementsAre("a=1"));
  EXPECT_THAT(std::get<PtxOptions>(*parse_command_line({"ptx", "a.o"})).settings, IsEmpty());
  EXPECT_FALSE(parse_command_line({"ptx", "a.o", "--set"}));
}

TEST(CommandLine, ARunNeedsTheDashesAndAProgram) {
  const auto forgotten = parse_command_line({"run", "kernelcount", "./app", "-n", "5"});
  ASSERT_FALSE(forgotten);
  EXPECT_THAT(forgotten.error().message, HasSubstr("./app"));
  EXPECT_THAT(forgotten.error().remedy, HasSubstr("`--`"));
  EXPECT_EQ(parse_command_line({"run", "kernelcount"}).error().message, "no program to run");
  EXPECT_EQ(parse_command_line({"run", "kernelcount", "--"}).error().message, "no program to run");
}

TEST(CommandLine, ErrorsPointToTheHelp) {
  EXPECT_EQ(parse_command_line({"chekc"}).error().remedy, "did you mean `check`?");
  EXPECT_THAT(parse_command_line({"check"}).error().remedy, HasSubstr("egpu check --help"));
  EXPECT_THAT(parse_command_line({"check", "--wrong", "a.o"}).error().message,
              HasSubstr("--wrong"));
  EXPECT_EQ(parse_command_line({"check", "a.o", "b.o"}).error().message,
            "unexpected argument `b.o`");
  EXPECT_EQ(parse_command_line({"--json"}).error().message, "no command is called `--json`");
  EXPECT_EQ(parse_command_line({"--", "b"}).error().remedy, "see `egpu --help`");
  EXPECT_EQ(parse_command_line({"check"}).error().message, "TOOL|OBJECT is required");
  EXPECT_FALSE(parse_command_line({"run", "--interval", "1", "a.o", "--", "b"}));
  EXPECT_FALSE(parse_command_line({"check", "a.o", "--", "b"}));
}

TEST(CommandLine, MisspelledOptionsGetASuggestion) {
  EXPECT_EQ(parse_command_line({"run", "--inteval", "50", "a.o", "--", "b"}).error().remedy,
            "did you mean `--interval`?");
  EXPECT_EQ(parse_command_line({"check", "--jsom", "a.o"}).error().remedy,
            "did you mean `--json`?");
  EXPECT_EQ(parse_command_line({"--verson"}).error().remedy, "did you mean `--version`?");
}

TEST(CommandLine, HelpAndVersion) {
  const auto general = std::get<HelpRequest>(*parse_command_line({"--help"}));
  EXPECT_EQ(general.exit_code, 0);
  for (const char* command : {"run", "check", "ptx", "inspect", "doctor", "demo"})
    EXPECT_THAT(general.text, HasSubstr(command));
  EXPECT_EQ(std::get<HelpRequest>(*parse_command_line({"help"})).text, general.text);
  const auto run = std::get<HelpRequest>(*parse_command_line({"run", "--help"}));
  EXPECT_THAT(run.text, HasSubstr("-- PROGRAM"));
  EXPECT_THAT(run.text, HasSubstr("--interval"));
  EXPECT_THAT(std::get<HelpRequest>(*parse_command_line({"--version"})).text, HasSubstr("egpu "));
  EXPECT_EQ(std::get<HelpRequest>(*parse_command_line({})).exit_code, 1);
}

}  // namespace
}  // namespace egpu::cli
