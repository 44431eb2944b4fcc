// Programs of nvcc in the emulator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator_run.h"

namespace egpu::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using toolkit::Outcome;

class EmulatorWithNvcc : public ::testing::Test, public EmulatorRun {
 protected:
  void SetUp() override {
    if (nvcc_.empty()) GTEST_SKIP() << "no nvcc here";
  }

  // The program; `options` are nvcc's.
  [[nodiscard]] std::string compile(const std::string& source,
                                    const std::vector<std::string>& options = {"-cudart",
                                                                               "shared"}) const {
    std::vector<std::string> command = {nvcc_, "-std=c++17", "-o", file("program"),
                                        EGPU_SOURCE_DIR "/tests/" + source};
    command.insert(command.end(), options.begin(), options.end());
    const Outcome outcome = toolkit::run(command);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    return file("program");
  }

 private:
  const std::filesystem::path nvcc_ = toolkit::find_tool("nvcc");
};

TEST_F(EmulatorWithNvcc, CountsTheLaunchesOfTheSharedRuntime) {
  const std::string program = compile("gpu/vec_add.cu");
  expect_exact({program, "1"});
  expect_exact({program, "1000", "1000"});
}

TEST_F(EmulatorWithNvcc, CountsReplaysOfGraphsBuiltNodeByNode) {
  const std::string program = compile("gpu/graph_nodes.cu");
  expect_exact({program, "6"});
}

TEST_F(EmulatorWithNvcc, RunsWhatProgramsDoWithTheSharedRuntime) {
  const std::string program = compile("emulator/runtime.cu");
  const Outcome outcome = toolkit::run(plain({program}));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("ok\n"));
}

// As nvcc links without being asked.
TEST_F(EmulatorWithNvcc, TellsProgramsWithTheRuntimeLinkedInWhatHelps) {
  const std::string program = compile("gpu/vec_add.cu", {});
  const Outcome observing = toolkit::run(observed("kernelcount", {program, "1"}));
  EXPECT_NE(observing.status, 0);
  EXPECT_THAT(observing.output,
              AllOf(HasSubstr("warning: the program seems to have the CUDA runtime linked in"),
                    HasSubstr("link it with `nvcc -cudart shared`")));
  const Outcome alone = toolkit::run(plain({program, "1"}));
  EXPECT_NE(alone.status, 0);
  EXPECT_THAT(alone.output, AllOf(HasSubstr("egpu emulator: the driver's private table"),
                                  HasSubstr("link the program with the shared CUDA runtime (nvcc "
                                            "-cudart shared)")));
}

TEST_F(EmulatorWithNvcc, FaultsEndInTheRuntimesErrors) {
  const std::string program = compile("emulator/faults.cu");
  const auto expect = [&](const std::string& fault, const std::string& error,
                          const std::string& next_error, const std::string& said) {
    std::vector<std::string> command = plain({program, fault});
    command.insert(command.begin() + 1, "EGPU_EMULATOR_BUDGET=1000000");
    const std::string output = toolkit::run(command).output;
    EXPECT_EQ(field("first", output), error);
    EXPECT_EQ(field("then", output), next_error);
    EXPECT_THAT(output, HasSubstr(said));
  };
  const auto expect_in_kernel = [&](const std::string& fault, const std::string& error) {
    expect(fault, error, error, ", block (1,0,0), thread (37,0,0), module.ptx:");
    expect(fault, error, error, "egpu emulator: _Z" + std::to_string(fault.size()) + fault + "Pi,");
  };
  expect_in_kernel("address", "cudaErrorIllegalAddress");
  expect_in_kernel("alignment", "cudaErrorMisalignedAddress");
  expect_in_kernel("loop", "cudaErrorLaunchTimeout");
  expect_in_kernel("barrier", "cudaErrorLaunchTimeout");
  expect("memory", "cudaErrorMemoryAllocation", "cudaSuccess", "out of memory: ");
  expect("threads", "cudaErrorInvalidConfiguration", "cudaSuccess",
         "_Z7threadsPi is not launched: a block of (2048,1,1) threads");
}

}  // namespace
}  // namespace egpu::testing
