// The egpu executable from outside: what it prints and how it ends. Whole runs use the driver
// double of tests/fake_driver, whose twins count 128 threads a launch into the first word of the
// first map.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/toolkit.h"

namespace egpu {
namespace {

using testing::HasSubstr;
using toolkit::Outcome;

constexpr char kRefusedProbe[] = EGPU_BINARY_DIR "/share/egpu/bench/refused.bpf.o";
constexpr char kProbeOfOthers[] = EGPU_BINARY_DIR "/share/egpu/bench/count.bpf.o";
constexpr std::uint64_t kThreads = 128;  // of a launch of fake_cuda_app

class CliTest : public testing::Test {
 protected:
  CliTest() {
    // The driver double reads PTX alone: this assembler gives it what it was given.
    const std::filesystem::path assembler = folder / "ptxas";
    std::ofstream(assembler)
        << "#!/bin/sh\n"
           "if [ \"$1\" = --version ]; then echo 'release 1.0, V1.0.0'; exit 0; fi\n"
           "cp \"$4\" \"$3\" && printf '\\0' >>\"$3\"\n";
    std::filesystem::permissions(assembler, std::filesystem::perms::owner_all);
  }

  [[nodiscard]] Outcome egpu(const std::vector<std::string>& arguments,
                             const std::vector<std::string>& settings = {}) const {
    std::vector<std::string> command = {"env", "-u", "EGPU_ASSUME_GPU",
                                        "XDG_CACHE_HOME=" + (folder / "cache").string(),
                                        "EGPU_PTXAS=" + (folder / "ptxas").string()};
    command.insert(command.end(), settings.begin(), settings.end());
    command.emplace_back(EGPU_EXECUTABLE);
    command.insert(command.end(), arguments.begin(), arguments.end());
    return toolkit::run(command);
  }

  // Runs fake_cuda_app's steps under kernelcount.
  [[nodiscard]] Outcome run_app(std::vector<std::string> options,
                                const std::vector<std::string>& steps,
                                const std::vector<std::string>& settings = {}) const {
    options.insert(options.begin(), "run");
    options.insert(options.end(), {"kernelcount", "--", FAKE_CUDA_APP});
    options.insert(options.end(), steps.begin(), steps.end());
    std::vector<std::string> all_settings = settings;
    all_settings.emplace_back("EGPU_ASSUME_GPU=1");
    return egpu(options, all_settings);
  }

  [[nodiscard]] std::string file(const std::string& name) const { return (folder / name).string(); }
  [[nodiscard]] nlohmann::json json_in(const std::string& name) const {
    std::ifstream stream(file(name));
    return nlohmann::json::parse(stream);
  }

  static void expect_refused(const Outcome& outcome, const std::string& message,
                             const std::string& place) {
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.output, HasSubstr("error: "));
    EXPECT_THAT(outcome.output, HasSubstr(message));
    EXPECT_THAT(outcome.output, HasSubstr("  --> "));
    EXPECT_THAT(outcome.output, HasSubstr(place));
    EXPECT_THAT(outcome.output, HasSubstr("  hint: "));
  }

  toolkit::TemporaryFolder folder;
};

TEST_F(CliTest, WithoutAGpuARunSaysSo) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has a GPU";
  const Outcome outcome = egpu({"run", "kernelcount", "--", "true"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("error: no NVIDIA GPU found on this machine"));
  EXPECT_THAT(outcome.output,
              HasSubstr("  hint: `egpu run --emulate` runs the program in egpu's emulator"));
}

TEST_F(CliTest, BadInputEndsBeforeTheProgramStarts) {
  const std::string mark = file("started");
  std::ofstream(file("damaged.bpf.o")) << "\x7f"
                                          "ELF and then nothing";
  const auto run = [&](const std::string& object) {
    return egpu({"run", object, "--", "touch", mark}, {"EGPU_ASSUME_GPU=1"});
  };
  expect_refused(run(file("damaged.bpf.o")), "", "damaged.bpf.o");
  expect_refused(run(file("absent.bpf.o")), "no such file", "absent.bpf.o");
  expect_refused(run(kRefusedProbe), "null", "refused.bpf.c:");
  EXPECT_FALSE(std::filesystem::exists(mark));
  expect_refused(egpu({"run", "kernelcount", "--", file("absent")}, {"EGPU_ASSUME_GPU=1"}),
                 "the program does not exist", "absent");
  expect_refused(egpu({"run", "-o", file("absent/report"), "kernelcount", "--", "touch", mark},
                      {"EGPU_ASSUME_GPU=1"}),
                 "cannot be written", "absent/report");
  expect_refused(
      egpu({"run", "-o", file(""), "kernelcount", "--", "touch", mark}, {"EGPU_ASSUME_GPU=1"}),
      "cannot be written", file(""));
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST_F(CliTest, MisspelledWordsGetASuggestion) {
  EXPECT_THAT(egpu({"rnu"}).output, HasSubstr("did you mean `run`?"));
  EXPECT_THAT(egpu({"check", "kernelcuont"}).output, HasSubstr("did you mean `kernelcount`?"));
  EXPECT_EQ(egpu({"check", "kernelcuont"}).status, 1);
}

TEST_F(CliTest, CommandsThatNeedNoGpuPrintJsonThatParses) {
  const auto check = nlohmann::json::parse(egpu({"check", "--json", "kernelcount"}).output);
  EXPECT_EQ(check["accepted"], true);

  std::ofstream(file("kernels.ptx")) << ".version 8.0\n.target sm_90\n.address_size 64\n"
                                        ".visible .entry _Z3addv() { ret; }\n";
  const auto inspect =
      nlohmann::json::parse(egpu({"inspect", "--json", file("kernels.ptx")}).output);
  EXPECT_EQ(inspect["images"][0]["kernels"][0]["demangled"], "add()");

  const auto doctor = nlohmann::json::parse(egpu({"doctor", "--json"}).output);
  EXPECT_EQ(doctor["checks"][0]["name"], "platform");
}

TEST_F(CliTest, WithJsonErrorsAreJsonToo) {
  const Outcome outcome =
      toolkit::run({"sh", "-c", EGPU_EXECUTABLE " check --json absent.o 2>/dev/null"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(nlohmann::json::parse(outcome.output)["error"]["place"], "absent.o");
}

TEST_F(CliTest, CountsTheThreadsOfAWholeRun) {
  const std::vector<std::string> steps = {"init",      "primary",      "library", "kernel:vec_add",
                                          "launch:10", "kernel:scale", "launch:3"};
  for (const char* start : {"cold", "warm"}) {
    const Outcome outcome = run_app({"--json", "-o", file("report")}, steps);
    EXPECT_EQ(outcome.status, 0) << start;
    EXPECT_EQ(outcome.output, "") << start;
    const auto report = json_in("report");
    SCOPED_TRACE(report.dump(2));
    EXPECT_EQ(report["complete"], true);
    const auto& rows = report["maps"][0]["rows"];
    ASSERT_EQ(rows.size(), 1u);  // the double counts every kernel in the map's first word
    EXPECT_EQ(rows[0]["kernel"], "vec_add");
    EXPECT_EQ(rows[0]["value"]["launches"], 13 * kThreads);
    EXPECT_EQ(report["kernels"].size(), 2u);
    EXPECT_EQ(report["processes"][0]["replaced"], 1);
    EXPECT_EQ(report["instances"][0]["instrumented_launches"], 13);
  }
}

TEST_F(CliTest, TheExitCodeIsTheProgramsOwn) {
  const Outcome outcome = run_app({}, {"init", "primary", "library", "kernel:absent"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("step 4, kernel:absent"));
}

TEST_F(CliTest, AKilledProgramsReportSaysWhatMayBeMissing) {
  const Outcome outcome =
      run_app({"--interval", "20"},
              {"init", "primary", "library", "kernel:vec_add", "launch:5", "sleep:500", "kill"});
  EXPECT_EQ(outcome.status, 128 + 9);
  EXPECT_THAT(outcome.output, HasSubstr("vec_add"));
  EXPECT_THAT(outcome.output, HasSubstr(std::to_string(5 * kThreads)));
  EXPECT_THAT(outcome.output, HasSubstr("ended by signal 9"));
  EXPECT_THAT(outcome.output, HasSubstr("may be missing"));
}

TEST_F(CliTest, AReportThatCannotBeWrittenIsPrinted) {
  const Outcome outcome =
      run_app({"-o", "/dev/full"}, {"init", "primary", "library", "kernel:vec_add", "launch:1"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("cannot write"));
  EXPECT_THAT(outcome.output, HasSubstr("vec_add"));
}

TEST_F(CliTest, AProgramWithoutCudaIsToldSo) {
  const Outcome outcome =
      egpu({"run", "kernelcount", "--", "sh", "-c", "echo hello; exit 4"}, {"EGPU_ASSUME_GPU=1"});
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.output, HasSubstr("hello\n"));
  EXPECT_THAT(outcome.output, HasSubstr("the program did not initialise CUDA"));
}

TEST_F(CliTest, AProgramWithoutAMatchingKernelIsLeftAlone) {
  const Outcome outcome =
      egpu({"run", "--json", "-o", file("report"), kProbeOfOthers, "--", FAKE_CUDA_APP, "init",
            "primary", "library", "kernel:vec_add", "launch:1"},
           {"EGPU_ASSUME_GPU=1"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  const auto report = json_in("report");
  EXPECT_EQ(report["processes"][0]["replaced"], 0) << report.dump(2);
  EXPECT_TRUE(report["kernels"].empty());
  EXPECT_THAT(report["warnings"].dump(), HasSubstr("no kernel was probed"));
}

// The driver double's raw kernels give the size of their memory and add 1 to each of its bytes.
TEST_F(CliTest, TheConformancePluginRunsOnTheGpu) {
  const std::string driver = std::string("LD_LIBRARY_PATH=") + FAKE_CUDA_FOLDER;
  const std::string command = "echo 95 00 00 00 00 00 00 00 | " + driver + " " + EGPU_EXECUTABLE +
                              " conformance-plugin --engine gpu aabbcc";
  const Outcome returned = toolkit::run({"sh", "-c", command});
  EXPECT_EQ(returned.status, 0);
  EXPECT_EQ(returned.output, "3\n");
  const Outcome fault = toolkit::run({"env", "FAKE_CUDA_RAW_ERROR=700", "sh", "-c", command});
  EXPECT_EQ(fault.status, 1);
  EXPECT_THAT(fault.output, HasSubstr("the program accessed memory that it does not have"));
  EXPECT_THAT(fault.output, HasSubstr("3 bytes at r1"));
}

TEST_F(CliTest, CaseFilesCompareHostAndGpu) {
  std::ofstream(file("a.case")) << "case agrees\n  r0 = r2\n  exit\n=> 0\n"
                                   "case differs\nmemory 00\n  r0 = 1\n  exit\n=> 1\n";
  const Outcome outcome = egpu({"conformance-plugin", "--engine", "gpu", "--cases", file("a.case")},
                               {std::string("LD_LIBRARY_PATH=") + FAKE_CUDA_FOLDER});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.output,
            "a.case:9: differs: GPU, not optimised: byte 0 of the memory differs\n"
            "a.case:9: differs: GPU, optimised: byte 0 of the memory differs\n"
            "2 rows: 1 agree, 1 differ (host and GPU, each optimised and not)\n");
}

}  // namespace
}  // namespace egpu
