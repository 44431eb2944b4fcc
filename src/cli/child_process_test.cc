#include "cli/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <thread>

namespace egpu::cli {
namespace {

ProcessEnd run(const std::vector<std::string>& command,
               const std::vector<std::string>& settings = {}) {
  const SignalForwarding signals;
  const auto child = start_process(command, environment_with(settings));
  EXPECT_TRUE(child);
  return child ? signals.wait(*child) : ProcessEnd{.code = -1, .signal = 0};
}

TEST(ChildProcess, GivesExitCodeOrSignal) {
  EXPECT_EQ(run({"sh", "-c", "exit 7"}).code, 7);
  const ProcessEnd killed = run({"sh", "-c", "kill -KILL $$"});
  EXPECT_EQ(killed.signal, SIGKILL);
}

TEST(ChildProcess, SettingsReplaceVariables) {
  ::setenv("EGPU_TEST_A", "old", 1);
  ::setenv("EGPU_TEST_B", "kept", 1);
  EXPECT_EQ(
      run({"sh", "-c", "test \"$EGPU_TEST_A$EGPU_TEST_B\" = newkept"}, {"EGPU_TEST_A=new"}).code,
      0);
}

TEST(ChildProcess, TheProgramCanBeInterrupted) {
  // Blocked signals would be inherited: sh would never get its own SIGTERM.
  EXPECT_EQ(run({"sh", "-c", "kill -TERM $$; exit 3"}).signal, SIGTERM);
}

TEST(ChildProcess, PassesOurSignalsOn) {
  const SignalForwarding signals;
  const auto child = start_process(
      {"sh", "-c", "trap 'exit 42' TERM; while :; do sleep 0.01; done"}, environment_with({}));
  ASSERT_TRUE(child);
  std::thread sender([] {
    ::usleep(300'000);
    ::kill(::getpid(), SIGTERM);
  });
  EXPECT_EQ(signals.wait(*child).code, 42);
  sender.join();
}

TEST(ChildProcess, ALateInterruptDoesNotEndUs) {
  {
    const SignalForwarding signals;
    ::kill(::getpid(), SIGINT);
  }
  SUCCEED();
}

TEST(ChildProcess, SaysWhyAProgramDoesNotStart) {
  const auto result = start_process({"/nonexistent/program"}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().place, "/nonexistent/program");
  EXPECT_THAT(result.error().message, testing::HasSubstr("No such file"));
}

}  // namespace
}  // namespace egpu::cli
