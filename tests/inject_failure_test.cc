// The injected library when things go wrong: the program must not notice, and the user must be
// told.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "base/fd.h"
#include "inject_fixture.h"

namespace egpu::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class InjectFailureTest : public InjectTest {
 protected:
  const Steps ten_launches = {"init", "primary", "library", "kernel:vec_add", "launch:10"};

  // The program did its launches with the original kernel.
  static void expect_originals(const Outcome& outcome, std::uint64_t launches) {
    expect_untroubled(outcome);
    ASSERT_TRUE(outcome.kernels.contains("vec_add"));
    EXPECT_EQ(outcome.kernels.at("vec_add").launches, launches);
  }
};

TEST_F(InjectFailureTest, NoServiceConfigured) {
  expect_originals(run(ten_launches, {{abi::kSocketVariable, ""}}), 10);
}

TEST_F(InjectFailureTest, NoServiceListens) { expect_originals(run(ten_launches), 10); }

// Who finds the directory of a session that is over could make it anew, and listen there.
TEST_F(InjectFailureTest, AServiceOfAnotherUserIsNotSpokenTo) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can listen as another user";
  constexpr uid_t kNobody = 65534;
  const UniqueFd listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  ASSERT_TRUE(listener);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, directory.file("socket").c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::seteuid(kNobody), 0);
  EXPECT_EQ(::listen(listener.get(), 1), 0);  // now the kernel notes whose socket this is
  ASSERT_EQ(::seteuid(0), 0);

  expect_originals(run(ten_launches, {{abi::kMaxWaitVariable, "500"}}), 10);
  const UniqueFd connection(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  char packet[1] = {};
  EXPECT_EQ(::recv(connection.get(), packet, sizeof packet, MSG_DONTWAIT), 0);
}

TEST_F(InjectFailureTest, ServiceRefuses) {
  serve({.refuse = true});
  expect_originals(run(ten_launches), 10);
}

TEST_F(InjectFailureTest, ServiceNeverAnswersHello) {
  serve({.hello = Script::Behaviour::kSilent});
  const Outcome outcome = run(ten_launches, {{abi::kMaxWaitVariable, "200"}});
  expect_originals(outcome, 10);
  EXPECT_GE(outcome.duration.count(), 200);
  EXPECT_LT(outcome.duration.count(), 5000);
}

TEST_F(InjectFailureTest, ServiceThatHangsCostsOneWait) {
  serve({.load = Script::Behaviour::kSilent});
  std::vector<std::string> steps = {"init", "primary"};
  for (int i = 0; i < 20; ++i) steps.emplace_back("library");
  steps.insert(steps.end(), {"kernel:vec_add", "launch:10"});
  const Outcome outcome = run(steps, {{abi::kMaxWaitVariable, "300"}});
  expect_originals(outcome, 10);
  EXPECT_LT(outcome.duration.count(), 3000);
  EXPECT_THAT(service->reports(), ElementsAre(HasSubstr("did not answer in time")));
}

TEST_F(InjectFailureTest, ServiceGivesNoInstance) {
  serve({.instance = Script::Behaviour::kSilent});
  expect_originals(run(ten_launches, {{abi::kMaxWaitVariable, "200"}}), 10);
  EXPECT_THAT(
      service->reports(),
      ElementsAre(HasSubstr(
          "no maps for a context on device 0: the service did not answer in time: original")));
}

TEST_F(InjectFailureTest, AreaOfAnotherSize) {
  serve({.area_bytes = 1 << 20});
  expect_originals(run(ten_launches), 10);
  EXPECT_THAT(service->reports(), ElementsAre(HasSubstr("shares memory of another size")));
}

TEST_F(InjectFailureTest, MemoryThatCouldShrinkIsNotUsed) {
  serve({.seal = false});
  expect_originals(run(ten_launches), 10);
}

TEST_F(InjectFailureTest, ServiceDiesWhileTheProgramRuns) {
  const std::string release = directory.file("go");
  serve();
  ObservedProgram program(
      directory,
      {"init", "primary", "library", "kernel:vec_add", "launch:5", "await:" + release, "sleep:50",
       "launch:7", "library", "kernel:vec_add", "launch:1", "unload-library", "release"},
      {});
  ASSERT_TRUE(eventually([&] { return service->threads_counted() == 5 * kThreads; }));
  service->die();
  std::ofstream(release) << "";
  const Outcome outcome = program.wait();
  expect_originals(outcome, 8);
  EXPECT_EQ(outcome.kernels.at("__egpu_vec_add").launches, 5u);
}

TEST_F(InjectFailureTest, ServiceHangsUpInsteadOfAnswering) {
  serve({.load = Script::Behaviour::kHangUp});
  expect_originals(run(ten_launches), 10);
}

TEST_F(InjectFailureTest, ReplacementDoesNotLoad) {
  serve();
  expect_originals(run(ten_launches, {{"FAKE_CUDA_FAIL_REPLACED", "218"}}), 10);
  EXPECT_THAT(service->reports(), Contains(HasSubstr("218")));
}

TEST_F(InjectFailureTest, TwinDoesNotLaunch) {
  serve();
  expect_originals(run(ten_launches, {{"FAKE_CUDA_FAIL_TWIN", "701"}}), 10);
  EXPECT_EQ(service->fallbacks(), 10u);
  EXPECT_EQ(service->instrumented(), 0u);
  ASSERT_EQ(service->reports().size(), 1u);
  EXPECT_THAT(service->reports()[0], HasSubstr("vec_add"));
  EXPECT_THAT(service->reports()[0], HasSubstr("701"));
}

TEST_F(InjectFailureTest, TwinDoesNotTakeAnAttribute) {
  serve();
  const Outcome outcome =
      run({"init", "primary", "library", "kernel:vec_add", "kernel-shared-bytes:70000", "launch:4"},
          {{"FAKE_CUDA_FAIL_ATTRIBUTE", "1"}});
  expect_originals(outcome, 4);
  EXPECT_EQ(service->fallbacks(), 4u);
  EXPECT_EQ(service->reports().size(), 1u);
}

TEST_F(InjectFailureTest, RuinedContextIsTheProgramsOwnAffair) {
  serve();
  const Outcome outcome =
      run({"init", "primary", "library", "kernel:vec_add", "launch:3", "sleep:60", "launch:1"},
          {{"FAKE_CUDA_STICKY_AFTER", "3"}});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("error 719"));
  EXPECT_THAT(service->reports(),
              ElementsAre(HasSubstr("cannot be read any more (driver error 719")));
  EXPECT_FALSE(service->all_final());
}

TEST_F(InjectFailureTest, ForkedChildIsLeftAlone) {
  serve();
  expect_untroubled(run({"init", "primary", "library", "kernel:vec_add", "launch:3", "fork",
                         "sleep:30", "launch:4"}));
  EXPECT_EQ(service->threads_counted(), 7 * kThreads);
  EXPECT_TRUE(service->said_goodbye());
}

TEST_F(InjectFailureTest, DriverExitsFirst) {
  serve();
  expect_untroubled(run(ten_launches, {{"FAKE_CUDA_EXITS_FIRST", "1"}}));
  EXPECT_TRUE(service->said_goodbye());
  EXPECT_THAT(service->reports(), ElementsAre(HasSubstr("the driver was shut down")));
}

TEST_F(InjectFailureTest, KilledProgramLeavesItsLastSnapshot) {
  serve();
  const Outcome outcome =
      run({"init", "primary", "library", "kernel:vec_add", "launch:6", "sleep:200", "kill"});
  EXPECT_EQ(outcome.exit_code, -SIGKILL);
  service->finish();
  EXPECT_EQ(service->threads_counted(), 6 * kThreads);
  EXPECT_FALSE(service->all_final());
  EXPECT_FALSE(service->said_goodbye());
}

TEST_F(InjectFailureTest, EssentialFunctionCannotBeHooked) {
  serve({.unhooked = "cuLibraryUnload"});
  expect_originals(run(ten_launches), 10);
  EXPECT_THAT(service->reports(), Contains(HasSubstr("cuLibraryUnload")));
}

TEST_F(InjectFailureTest, OtherFunctionCannotBeHooked) {
  serve({.unhooked = "cuLaunchKernel_ptsz"});
  expect_untroubled(run(ten_launches));
  EXPECT_EQ(service->threads_counted(), 10 * kThreads);
  EXPECT_THAT(service->reports(), Contains(HasSubstr("cuLaunchKernel_ptsz")));
}

TEST_F(InjectFailureTest, GarbageAnswersChangeNothing) {
  using enum Script::Behaviour;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Script script{.seed = seed};
    (seed % 3 == 0 ? script.hello : seed % 3 == 1 ? script.load : script.instance) = kGarbage;
    serve(script);
    expect_untroubled(run(ten_launches, {{abi::kMaxWaitVariable, "300"}}));
  }
}

}  // namespace
}  // namespace egpu::testing
