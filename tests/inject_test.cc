// The injected library in a program on the test double of the driver: what it counts when all goes
// well.
#include "inject_fixture.h"

namespace egpu::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

TEST_F(InjectTest, CountsEveryThreadOfALibraryKernel) {
  serve();
  const Outcome outcome =
      run({"init", "primary", "library", "kernel:vec_add", "launch:1000", "release"});
  expect_untroubled(outcome);
  EXPECT_EQ(service->threads_counted(), 1000 * kThreads);
  EXPECT_EQ(service->instrumented(), 1000u);
  EXPECT_EQ(service->fallbacks(), 0u);
  EXPECT_TRUE(service->all_final());
  EXPECT_TRUE(service->said_goodbye());
  EXPECT_THAT(service->reports(), IsEmpty());
  EXPECT_EQ(outcome.kernels.at("__egpu_vec_add").launches, 1000u);
  EXPECT_FALSE(outcome.kernels.contains("vec_add"));
}

TEST_F(InjectTest, MapsStartAsZeros) {
  serve({.map_count = 2});
  expect_untroubled(run({"init", "primary", "library", "kernel:vec_add", "launch:1"}));
  EXPECT_THAT(service->values(0), ElementsAre(kThreads));
  for (std::size_t word = 1; word < 10; ++word)
    EXPECT_THAT(service->values(word), ElementsAre(0)) << word;
}

TEST_F(InjectTest, EveryContextGetsTheInitialValues) {
  serve({.map_count = 2, .initial = 1'000'000});
  expect_untroubled(
      run({"init", "primary", "library", "kernel:vec_add", "launch:3", "context", "launch:4"}));
  EXPECT_THAT(service->values(0),
              UnorderedElementsAre(1'000'000 + 3 * kThreads, 1'000'000 + 4 * kThreads));
  EXPECT_THAT(service->values(1), ElementsAre(0, 0));
  EXPECT_THAT(service->reports(), IsEmpty());
}

TEST_F(InjectTest, SendsTheImageWithoutItsTerminator) {
  serve();
  expect_untroubled(run({"init", "primary", "library"}));
  ASSERT_EQ(service->images().size(), 1u);
  EXPECT_THAT(service->images()[0], StartsWith(".version 8.0"));
  EXPECT_EQ(service->images()[0].find('\0'), std::string::npos);
}

TEST_F(InjectTest, LeavesKernelsWithoutATwinAlone) {
  serve();
  const Outcome outcome = run({"init", "primary", "library", "kernel:scale", "launch:7"});
  expect_untroubled(outcome);
  EXPECT_EQ(outcome.kernels.at("scale").launches, 7u);
  EXPECT_EQ(service->areas(), 0u);
}

TEST_F(InjectTest, LeavesModulesAloneThatTheServiceDoesNotReplace) {
  serve({.replace = false});
  const Outcome outcome = run({"init", "primary", "library", "kernel:vec_add", "launch:7"});
  expect_untroubled(outcome);
  EXPECT_EQ(outcome.kernels.at("vec_add").launches, 7u);
  EXPECT_EQ(service->areas(), 0u);
}

TEST_F(InjectTest, CountsEveryFormOfLaunch) {
  serve();
  expect_untroubled(run({"init", "primary", "library", "kernel:vec_add", "launch:1", "launch-ptsz",
                         "launch-ex", "launch-cooperative", "stream", "launch-stream:3"}));
  EXPECT_EQ(service->threads_counted(), 9 * kThreads);
  EXPECT_EQ(service->instrumented(), 9u);
}

TEST_F(InjectTest, CountsLaunchesOfManyThreads) {
  serve();
  expect_untroubled(run({"init", "primary", "library", "kernel:vec_add", "launch-threads:500"}));
  EXPECT_THAT(service->reports(), IsEmpty());
  EXPECT_EQ(service->areas(), 1u);
  EXPECT_EQ(service->threads_counted(), 2000 * kThreads);
  EXPECT_EQ(service->instrumented(), 2000u);
}

TEST_F(InjectTest, CountsFunctionsOfEveryKindOfModule) {
  for (const char* load : {"module", "module-ex", "module-fatbin"}) {
    SCOPED_TRACE(load);
    serve();
    expect_untroubled(run({"init", "context", load, "function:vec_add", "launch:5", "destroy"}));
    EXPECT_EQ(service->threads_counted(), 5 * kThreads);
    EXPECT_EQ(service->images().size(), 1u);
    EXPECT_TRUE(service->all_final());
  }
}

TEST_F(InjectTest, CountsKernelsLoadedFromFiles) {
  const std::string image = directory.file("image.ptx");
  std::ofstream(image) << ".version 8.0\n.visible .entry vec_add() { ret; }\n";
  serve();
  expect_untroubled(run({"init", "primary", "library-file:" + image, "kernel:vec_add", "launch:2",
                         "module-file:" + image, "function:vec_add", "launch:3"}));
  EXPECT_EQ(service->threads_counted(), 5 * kThreads);
}

TEST_F(InjectTest, FollowsALibraryKernelToItsFunction) {
  serve();
  expect_untroubled(run({"init", "primary", "library", "kernel:vec_add", "kernel-function",
                         "launch:4", "library-module", "function:vec_add", "launch:2"}));
  EXPECT_EQ(service->threads_counted(), 6 * kThreads);
}

TEST_F(InjectTest, KeepsAnInstanceForEachContext) {
  serve();
  expect_untroubled(run({"init", "primary", "library", "kernel:vec_add", "launch:2", "context",
                         "launch:3", "destroy", "launch:4"}));
  EXPECT_EQ(service->areas(), 2u);
  EXPECT_EQ(service->threads_counted(), 9 * kThreads);
  EXPECT_TRUE(service->all_final());
}

TEST_F(InjectTest, LaunchesRunInTheContextOfTheirStream) {
  serve();
  // The stream belongs to the second context, which is not current at the first launch in it.
  expect_untroubled(run({"init", "context", "stream", "primary", "library", "kernel:vec_add",
                         "launch:1", "launch-stream:2", "launch:1"}));
  EXPECT_EQ(service->areas(), 2u);
  EXPECT_EQ(service->threads_counted(), 4 * kThreads);
}

TEST_F(InjectTest, UnloadsAndLoadsAgain) {
  serve();
  Steps steps = {"init", "primary"};
  for (int i = 0; i < 50; ++i) {
    for (const char* step : {"library", "kernel:vec_add", "launch:1", "unload-library", "module",
                             "function:vec_add", "launch:1", "unload-module"})
      steps.emplace_back(step);
  }
  expect_untroubled(run(steps));
  EXPECT_EQ(service->threads_counted(), 100 * kThreads);
  EXPECT_EQ(service->areas(), 1u);
}

TEST_F(InjectTest, SurvivesAResetOfThePrimaryContext) {
  serve();
  expect_untroubled(
      run({"init", "primary", "library", "kernel:vec_add", "launch:2", "reset", "launch:3"}));
  EXPECT_EQ(service->areas(), 2u);
  EXPECT_EQ(service->threads_counted(), 5 * kThreads);
}

TEST_F(InjectTest, MirrorsAttributes) {
  serve();
  const Outcome outcome = run(
      {"init", "primary", "library", "kernel:vec_add", "kernel-shared-bytes:70000", "launch:1"});
  expect_untroubled(outcome);
  EXPECT_EQ(outcome.kernels.at("vec_add").attributes.at(8), 70000);
  EXPECT_EQ(outcome.kernels.at("__egpu_vec_add").attributes.at(8), 70000);

  serve();
  const Outcome by_function =
      run({"init", "context", "module", "function:vec_add", "shared-bytes:60000"});
  EXPECT_EQ(by_function.kernels.at("vec_add").attributes.at(8), 60000);
}

TEST_F(InjectTest, SetsItselfUpDuringACapture) {
  serve();
  expect_untroubled(run({"init", "primary", "library", "kernel:vec_add", "capture",
                         "launch-stream:2", "sleep:60", "end-capture"}));
  EXPECT_EQ(service->threads_counted(), 2 * kThreads);
}

TEST_F(InjectTest, SnapshotsAppearWhileTheProgramRuns) {
  const std::string release = directory.file("go");
  serve();
  ObservedProgram program(
      directory, {"init", "primary", "library", "kernel:vec_add", "launch:3", "await:" + release},
      {});
  EXPECT_TRUE(eventually([&] { return service->threads_counted() == 3 * kThreads; }));
  EXPECT_FALSE(service->all_final());
  std::ofstream(release) << "";
  expect_untroubled(program.wait());
}

TEST_F(InjectTest, SupportsSeveralMaps) {
  serve({.map_count = 2});
  expect_untroubled(run({"init", "primary", "library", "kernel:vec_add", "launch:3"}));
  EXPECT_EQ(service->threads_counted(), 3 * kThreads);
}

TEST_F(InjectTest, ChainsThePreviousInjectionLibrary) {
  const std::string trace = directory.file("trace");
  serve();
  expect_untroubled(run(
      {"init", "primary", "library", "kernel:vec_add", "launch:1"},
      {{abi::kChainedInjectionVariable, FAKE_CHAINED_INJECTION}, {"FAKE_CHAINED_TRACE", trace}}));
  EXPECT_TRUE(std::ifstream(trace).good());
  EXPECT_EQ(service->threads_counted(), kThreads);
}

TEST_F(InjectTest, DoesNotChainItself) {
  serve();
  expect_untroubled(run({"init", "primary", "library", "kernel:vec_add", "launch:1"},
                        {{abi::kChainedInjectionVariable, EGPU_INJECT_LIBRARY}}));
  EXPECT_EQ(service->threads_counted(), kThreads);
}

TEST_F(InjectTest, LeavesModulesAloneWhoseRegistersAreLimited) {
  serve();
  expect_untroubled(run({"init", "primary", "module-registers", "function:vec_add", "launch:1"}));
  EXPECT_EQ(service->threads_counted(), 0u);
  EXPECT_THAT(service->images(), IsEmpty());
  ASSERT_EQ(service->reports().size(), 1u);
  EXPECT_THAT(service->reports()[0], HasSubstr("limit on registers"));
}

TEST_F(InjectTest, TellsWhenThePreviousInjectionLibraryDoesNotLoad) {
  serve();
  expect_untroubled(
      run({"init"}, {{abi::kChainedInjectionVariable, directory.file("missing.so")}}));
  ASSERT_EQ(service->reports().size(), 1u);
  EXPECT_THAT(service->reports()[0], HasSubstr("missing.so"));
}

}  // namespace
}  // namespace egpu::testing
