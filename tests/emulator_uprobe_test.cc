// Uprobes on the emulated driver's functions, before and after the injected library hooks them:
// each sees every call. They count in every process, so that no other test may run meanwhile.
#include <gtest/gtest.h>

#include "emulator_run.h"
#include "support/uprobe.h"

namespace egpu::testing {
namespace {

constexpr char kDriver[] = EMULATOR_FOLDER "/libcuda.so.1";

class EmulatorWithUprobe : public ::testing::Test, public EmulatorRun {
 protected:
  void SetUp() override {
    if (const auto probe = attach(); !probe) GTEST_SKIP() << to_string(probe.error());
  }
  static Result<test::SystemUprobe> attach() {
    return test::SystemUprobe::attach(kDriver, "cuLaunchKernel");
  }
};

TEST_F(EmulatorWithUprobe, ThatWasThereFirst) {
  const auto probe = attach();
  ASSERT_TRUE(probe);
  const auto outcome =
      toolkit::run(observed("kernelcount", {EMULATED_PROGRAM, "vec_add", "1000", "500"}));
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_EQ(*probe->hits(), 500u);
  EXPECT_EQ(count("launches"), 500u);
}

TEST_F(EmulatorWithUprobe, ThatComesAndGoesWhileTheProgramRuns) {
  Started run(observed("kernelcount", {EMULATED_PROGRAM, "vec_add", "1000", "1", file("end")}),
              file("output"));
  ASSERT_TRUE(eventually([&] { return contents(file("end.started")).ends_with('\n'); }));
  {
    const auto probe = attach();
    ASSERT_TRUE(probe);
    EXPECT_TRUE(eventually([&] { return *probe->hits() > 100; }));
  }
  std::ofstream(file("end")) << "now";
  ASSERT_EQ(run.wait(), 0) << run.output();
  EXPECT_EQ(std::to_string(count("launches")), field("launches", run.output()));
  EXPECT_EQ(std::to_string(count("threads")), field("threads", run.output()));
}

}  // namespace
}  // namespace egpu::testing
