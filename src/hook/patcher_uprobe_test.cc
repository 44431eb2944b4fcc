// A uprobe and a hook on one function, in every order: each must see every call.
#include <gtest/gtest.h>

#include "hook/patcher.h"
#include "hook/testdata/prologues.h"
#include "support/uprobe.h"

namespace egpu::hook {
namespace {

constexpr std::uint64_t kCalls = 100;

Sum original;
std::uint64_t hook_calls;
std::uint64_t counting_hook(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d,
                            std::uint64_t e, std::uint64_t f, std::uint64_t g, std::uint64_t h,
                            std::uint64_t i, std::uint64_t j, std::uint64_t k) {
  ++hook_calls;
  return original(a, b, c, d, e, f, g, h, i, j, k);
}

class HookWithUprobe : public testing::TestWithParam<SumFunction> {
 protected:
  void SetUp() override {
    if (auto probe = attach(); !probe) GTEST_SKIP() << to_string(probe.error());
    hook_calls = 0;
  }

  Result<test::Uprobe> attach() {
    return test::Uprobe::attach(library_.path(), GetParam().name, 0, -1);
  }

  void hook() {
    ASSERT_EQ(library_.hook(plan_of(GetParam().name), counting_hook, &original),
              PatchStatus::kDone);
  }

  void call() {
    const auto function = library_.get<Sum>(GetParam().name);
    for (std::uint64_t i = 0; i < kCalls; ++i) ASSERT_EQ(call_sum(function), kSumResult);
  }

 private:
  LoadedCopy library_;
};

TEST_P(HookWithUprobe, UprobeFirst) {
  const auto probe = attach();
  ASSERT_TRUE(probe);
  call();
  hook();
  call();
  EXPECT_EQ(*probe->hits(), 2 * kCalls);
  EXPECT_EQ(hook_calls, kCalls);
}

TEST_P(HookWithUprobe, HookFirst) {
  hook();
  const auto probe = attach();
  ASSERT_TRUE(probe);
  call();
  EXPECT_EQ(*probe->hits(), kCalls);
  EXPECT_EQ(hook_calls, kCalls);
}

TEST_P(HookWithUprobe, TheHookOutlivesTheUprobe) {
  {
    const auto probe = attach();
    ASSERT_TRUE(probe);
    hook();
    call();
    EXPECT_EQ(*probe->hits(), kCalls);
  }
  call();
  EXPECT_EQ(hook_calls, 2 * kCalls);
  const auto probe = attach();
  ASSERT_TRUE(probe);
  call();
  EXPECT_EQ(*probe->hits(), kCalls);
  EXPECT_EQ(hook_calls, 3 * kCalls);
}

INSTANTIATE_TEST_SUITE_P(Patcher, HookWithUprobe, testing::ValuesIn(kSumFunctions),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace egpu::hook
