// What a user has without a GPU, from outside: `egpu run --emulate` and `egpu demo`. The cases are
// those that scripts/gpu/verify proves on a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator_run.h"
#include "support/expectations.h"

namespace egpu::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using toolkit::Outcome;

class Emulator : public ::testing::Test, public EmulatorRun {
 protected:
  // Runs until a file appears; see tests/emulator/program.cc.
  [[nodiscard]] std::vector<std::string> endless() const {
    return {EMULATED_PROGRAM, "vec_add", "100000", "1", file("end")};
  }
  [[nodiscard]] bool started() const {
    return eventually([&] { return contents(file("end.started")).ends_with('\n'); });
  }
  void end_it() const { std::ofstream(file("end")) << "now"; }
};

TEST_F(Emulator, CountsExactlyAndChangesNoResult) {
  for (const char* elements : {"1", "1000", "1000000"})
    expect_exact({EMULATED_PROGRAM, "vec_add", elements, "2"});
  expect_exact({EMULATED_PROGRAM, "vec_add", "1000", "10000"});
}

TEST_F(Emulator, SeesEveryThreadEnd) {
  const std::vector<std::string> program = {EMULATED_PROGRAM, "vec_add", "1000", "3"};
  const Outcome without = toolkit::run(plain(program));
  const Outcome with =
      toolkit::run(observed(EGPU_BINARY_DIR "/tests/programs/lifetimes.bpf.o", program));
  EXPECT_EQ(with.status, 0) << with.output;
  EXPECT_THAT(with.output, HasSubstr(without.output));
  EXPECT_EQ(std::to_string(count("begun")), field("threads", without.output));
  EXPECT_EQ(count("ended"), count("begun"));
}

TEST_F(Emulator, SaysThatItIsOne) {
  const Outcome outcome =
      toolkit::run(observed("kernelcount", {EMULATED_PROGRAM, "vec_add", "10"}));
  EXPECT_THAT(outcome.output, HasSubstr("egpu's emulator, not on a GPU"));
  EXPECT_TRUE(report()["emulated"].get<bool>());
  EXPECT_EQ(report()["instances"][0]["device_name"], "egpu emulator");
}

TEST_F(Emulator, SurvivesTheEndOfTheService) {
  const Outcome without = toolkit::run(plain({EMULATED_PROGRAM, "vec_add", "100000", "1"}));
  Started run(observed("kernelcount", endless()), file("output"));
  ASSERT_TRUE(started()) << run.output();
  run.kill();
  EXPECT_EQ(run.wait(), 128 + SIGKILL);
  end_it();
  ASSERT_TRUE(eventually([&] { return run.output().find("checksum=") != std::string::npos; }))
      << run.output();
  EXPECT_EQ(field("checksum", run.output()), field("checksum", without.output));
  EXPECT_EQ(field("wrong", run.output()), "0");
}

TEST_F(Emulator, ReportsWhatAKilledProgramDid) {
  Started run(observed("kernelcount", endless()), file("output"));
  ASSERT_TRUE(started()) << run.output();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // for snapshots
  ::kill(std::stoi(contents(file("end.started"))), SIGKILL);
  EXPECT_EQ(run.wait(), 128 + SIGKILL);
  EXPECT_EQ(report()["signal"], SIGKILL);
  EXPECT_GE(count("launches"), 1u);
  EXPECT_THAT(report()["warnings"].dump(), HasSubstr("may be missing"));
}

TEST_F(Emulator, AProgramWithoutAMatchingKernelIsUntouched) {
  const Outcome without = toolkit::run(plain({EMULATED_PROGRAM, "grid"}));
  // Its kernels are not called *_probed.
  const Outcome with = toolkit::run(
      observed(EGPU_BINARY_DIR "/share/egpu/bench/count.bpf.o", {EMULATED_PROGRAM, "grid"}));
  EXPECT_EQ(with.status, 0) << with.output;
  EXPECT_THAT(with.output, HasSubstr(without.output));
  EXPECT_EQ(report()["processes"][0]["replaced"], 0);
  EXPECT_TRUE(report()["kernels"].empty());
}

TEST_F(Emulator, FaultsEndInTheDriversErrors) {
  const auto fault = [&](const char* kernel, const char* error) {
    const Outcome outcome = toolkit::run(observed("kernelcount", {EMULATED_PROGRAM, kernel}));
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.output,
                AllOf(HasSubstr(std::string("cuCtxSynchronize: ") + error), HasSubstr(kernel),
                      HasSubstr("block (1,0,0), thread (5,0,0)")));
    // What is missing is said once, and why.
    const auto warnings = report()["warnings"].get<std::vector<std::string>>();
    EXPECT_THAT(warnings, UnorderedElementsAre(HasSubstr("missing"), HasSubstr("driver error")));
  };
  fault("wild", "CUDA_ERROR_ILLEGAL_ADDRESS");
  fault("misaligned", "CUDA_ERROR_MISALIGNED_ADDRESS");
  fault("trap", "CUDA_ERROR_LAUNCH_FAILED");
}

TEST_F(Emulator, BadInputEndsBeforeTheProgramStarts) {
  std::ofstream(file("damaged.bpf.o")) << "\x7f"
                                          "ELF and then nothing";
  for (const std::string& object :
       {file("damaged.bpf.o"), file("absent.bpf.o"),
        std::string(EGPU_BINARY_DIR "/share/egpu/bench/refused.bpf.o")}) {
    const Outcome outcome = toolkit::run(observed(object, {"touch", file("started")}));
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.output, HasSubstr("error: "));
    EXPECT_THAT(outcome.output, Not(HasSubstr("emulator")));
  }
  EXPECT_FALSE(std::filesystem::exists(file("started")));
}

TEST_F(Emulator, TheDemoShowsItsTablesAndWhatToTryNext) {
  const Outcome outcome = toolkit::run(egpu({"demo", "--emulate"}));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("egpu's emulator, not on a GPU"),
                                    HasSubstr("equal to what the host computes"),
                                    HasSubstr("mandelbrot(unsigned int*)"), HasSubstr("1179648"),
                                    HasSubstr("Try next:")));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// tests/programs/ring.bpf.c in a grid of 2 blocks of 64 threads: each thread copies a record, and
// reserves one that it submits, or discards where its number is a multiple of 3.
TEST_F(Emulator, RecordsComeWholeAndAreCounted) {
  const Outcome outcome = toolkit::run(
      observed(EGPU_BINARY_DIR "/tests/programs/ring.bpf.o", {EMULATED_PROGRAM, "grid"}));
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  std::vector<std::string> lines = lines_of(contents(file("report")));
  ASSERT_FALSE(lines.empty());
  const auto summary = nlohmann::json::parse(lines.back());
  lines.pop_back();
  std::vector<int> of_thread(64);
  for (const std::string& line : lines) {
    const auto record = nlohmann::json::parse(line);
    EXPECT_EQ(record["record"], "events");
    const auto& value = record["value"];
    EXPECT_TRUE(value["kernel"].is_number_unsigned());
    EXPECT_EQ(value["kernel_name"], "grid");
    const auto thread = value["thread"].get<std::uint64_t>();
    EXPECT_EQ(value["values"], nlohmann::json({3 * thread, 3 * thread + 1, 3 * thread + 2}));
    ++of_thread.at(thread);
  }
  for (int thread = 0; thread < 64; ++thread)
    EXPECT_EQ(of_thread[static_cast<std::size_t>(thread)], thread % 3 == 0 ? 2 : 4) << thread;
  EXPECT_EQ(summary["rings"], nlohmann::json::parse(R"([{"name": "events", "records": 212,
                                                         "discarded": 44, "dropped": 0}])"));
  EXPECT_TRUE(summary["warnings"].empty()) << summary["warnings"];
  EXPECT_TRUE(summary["complete"].get<bool>());
}

TEST_F(Emulator, RecordsAreLinesOfTextByTheirType) {
  const std::string object = EGPU_BINARY_DIR "/tests/programs/ring.bpf.o";
  const Outcome outcome =
      toolkit::run(egpu({"run", "--emulate", object, "--", EMULATED_PROGRAM, "grid"}));
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(
      outcome.output,
      HasSubstr("events kernel=grid thread=63 values[0]=189 values[1]=190 values[2]=191\n"));
  EXPECT_THAT(outcome.output, HasSubstr("\nevents: 212 records, 44 discarded, 0 dropped\n"));
}

TEST_F(Emulator, TracesAreLinesAndPerfEventsAreRecords) {
  const std::string object = EGPU_BINARY_DIR "/tests/programs/traces.bpf.o";
  const Outcome outcome =
      toolkit::run(egpu({"run", "--emulate", object, "--", EMULATED_PROGRAM, "grid"}));
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  for (const char* line :
       {"hello", "block 0 of 2, ffffffffffffffff", "block 1 of 2, ffffffffffffffff",
        "blocks block=0 negative=-3 name=block", "blocks block=1 negative=-3 name=block",
        "blocks: 2 records, 0 dropped", ".trace: 4 records, 0 dropped"})
    EXPECT_THAT(outcome.output, HasSubstr(std::string("\n") + line + "\n"));
}

// `egpu run ... | head`: the reader leaves, the program runs on to its end, observed.
TEST_F(Emulator, AReaderThatLeavesEndsNothing) {
  std::ofstream(file("program")) << EMULATED_PROGRAM " grid > " << file("out")
                                 << " && sleep 0.2 && echo done > " << file("end") << "; exit 5\n";
  for (const char* object : {EGPU_BINARY_DIR "/tests/programs/ring.bpf.o", "kernelcount"}) {
    std::ostringstream pipeline;
    pipeline << "{ ";
    for (const auto& word : egpu({"run", "--emulate", object, "--", "sh", file("program")}))
      pipeline << word << ' ';
    pipeline << "; echo $? > " << file("status") << "; } | :";
    const Outcome outcome = toolkit::run({"sh", "-c", pipeline.str()});
    EXPECT_EQ(contents(file("end")), "done\n") << object;
    EXPECT_EQ(contents(file("status")), "5\n") << object;
    EXPECT_THAT(outcome.output, Not(HasSubstr("error")));
    std::filesystem::remove(file("end"));
  }
}

// Every warp of 20 launches, into rings that the reader must empty many times.
TEST_F(Emulator, RecordsOrDropsAddUpToWhatWasLaunched) {
  const Outcome outcome = toolkit::run(observed(EGPU_BINARY_DIR "/tests/programs/ring_warps.bpf.o",
                                                {EMULATED_PROGRAM, "vec_add", "200000", "20"}));
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  const std::vector<std::string> lines = lines_of(contents(file("report")));
  const auto ring = nlohmann::json::parse(lines.back())["rings"][0];
  EXPECT_EQ(ring["records"], lines.size() - 1);
  const std::uint64_t blocks = (200'000 + 511) / 512;
  EXPECT_EQ(ring["records"].get<std::uint64_t>() + ring["dropped"].get<std::uint64_t>(),
            std::uint64_t{20} * 16 * blocks);
  EXPECT_GT(ring["records"].get<std::uint64_t>(), 1000U);
}

// Each program of tests/examples leaves in its maps what it says, as scripts/gpu/examples proves.
TEST_F(Emulator, ExamplesLeaveWhatTheySay) {
  const auto all = examples::load_examples();
  ASSERT_TRUE(all) << to_string(all.error());
  for (const examples::Example& example : *all) {
    SCOPED_TRACE(example.name);
    const std::string object =
        EGPU_BINARY_DIR "/share/egpu/examples/clang-22/v4/" + example.name + ".bpf.o";
    const Outcome outcome = toolkit::run(observed(object, {EMULATED_PROGRAM, "grid"}));
    ASSERT_EQ(outcome.status, 0) << outcome.output;
    const auto seen = nlohmann::ordered_json::parse(contents(file("report")));
    EXPECT_EQ(seen["instances"][0]["instrumented_launches"], 1) << seen["warnings"];
    for (const examples::Expectation& expectation : example.expectations) {
      const auto compared = examples::compare(expectation, seen["maps"]);
      EXPECT_TRUE(compared) << to_string(compared.error());
    }
  }
}

}  // namespace
}  // namespace egpu::testing
