#include "codegen/crash_guard.h"

#include <gtest/gtest.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/ErrorHandling.h>

#include <thread>
#include <vector>

namespace egpu::codegen {
namespace {

TEST(CrashGuard, LetsSuccessThrough) {
  bool ran = false;
  EXPECT_TRUE(run_guarded([&] { ran = true; }));
  EXPECT_TRUE(ran);
}

TEST(CrashGuard, MakesFatalErrorsOurBug) {
  for (const bool wants_crash_report : {true, false}) {  // LLVM would abort() or exit()
    const auto result =
        run_guarded([&] { llvm::report_fatal_error("cannot select", wants_crash_report); });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), internal_error("LLVM failed: cannot select"));
  }
}

TEST(CrashGuard, WorksOnSeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      const std::string reason = "thread " + std::to_string(i);
      for (int round = 0; round < 20; ++round) {
        const auto result = run_guarded([&] { llvm::report_fatal_error(llvm::StringRef(reason)); });
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().message, "LLVM failed: " + reason);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace egpu::codegen
