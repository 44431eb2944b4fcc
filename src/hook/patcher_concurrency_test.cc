// Functions are hooked while four threads call them, with and without uprobes that come and go.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "hook/patcher.h"
#include "hook/testdata/prologues.h"
#include "support/uprobe.h"

namespace egpu::hook {
namespace {

constexpr std::size_t kThreads = 4;
constexpr std::size_t kFunctions = 4;
// Jumps in an 8-byte word and in a 16-byte block, in the block of the first instruction and behind
// it.
constexpr const char* kNames[kFunctions] = {"sum_driver", "sum_many_pushes", "sum_load",
                                            "sum_conditional_jump"};

Sum originals[kFunctions];
thread_local std::uint64_t hook_calls[kFunctions];

template <std::size_t index>
std::uint64_t hook(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d,
                   std::uint64_t e, std::uint64_t f, std::uint64_t g, std::uint64_t h,
                   std::uint64_t i, std::uint64_t j, std::uint64_t k) {
  ++hook_calls[index];
  return __atomic_load_n(&originals[index], __ATOMIC_ACQUIRE)(a, b, c, d, e, f, g, h, i, j, k);
}
constexpr Sum kHooks[kFunctions] = {hook<0>, hook<1>, hook<2>, hook<3>};

std::vector<FunctionPlan> plans() {
  return plan_hooks(prologues_file(), {std::begin(kNames), std::end(kNames)}).value();
}

// Threads that call the functions of one copy and watch that results are right and that, once a
// function is hooked, no call misses its hook.
class Callers {
 public:
  explicit Callers(const LoadedCopy& library) {
    for (std::size_t i = 0; i < kFunctions; ++i) functions_[i] = library.get<Sum>(kNames[i]);
    for (auto& thread : threads_) thread = std::thread([this] { run(); });
    wait_for_calls();
  }
  ~Callers() {
    stop_ = true;
    for (auto& thread : threads_) thread.join();
    EXPECT_EQ(wrong_results_, 0u);
    EXPECT_EQ(missed_, 0u);
  }
  Callers(const Callers&) = delete;
  Callers& operator=(const Callers&) = delete;

  void announce_hooked(std::size_t function) { hooked_[function] = true; }

  // Until every thread has called every function at least once more.
  void wait_for_calls() const {
    for (const auto& rounds : rounds_) {
      const std::uint64_t before = rounds;
      while (rounds < before + 2) std::this_thread::yield();
    }
  }

 private:
  void run() {
    auto& rounds = rounds_[next_++];
    for (; !stop_; ++rounds) {
      for (std::size_t i = 0; i < kFunctions; ++i) call(i);
      if (rounds % 64 == 63)
        std::this_thread::yield();  // others too, where threads outnumber the CPUs
    }
  }

  void call(std::size_t i) {
    const bool must_be_hooked = hooked_[i];
    const std::uint64_t before = hook_calls[i];
    if (call_sum(functions_[i]) != kSumResult) ++wrong_results_;
    const std::uint64_t calls = hook_calls[i] - before;
    if (calls > 1 || (must_be_hooked && calls != 1)) ++missed_;
  }

  Sum functions_[kFunctions] = {};
  std::atomic<bool> hooked_[kFunctions] = {};
  std::atomic<bool> stop_ = false;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::uint64_t> rounds_[kThreads] = {};
  std::atomic<std::uint64_t> wrong_results_ = 0;
  std::atomic<std::uint64_t> missed_ = 0;
  std::thread threads_[kThreads];
};

void hook_all(const LoadedCopy& library, const std::vector<FunctionPlan>& plan, Callers& callers) {
  for (std::size_t i = 0; i < kFunctions; ++i) {
    ASSERT_EQ(library.hook(plan[i], kHooks[i], &originals[i]), PatchStatus::kDone);
    callers.announce_hooked(i);
  }
}

TEST(PatcherConcurrency, CallsPassWhileFunctionsAreHooked) {
  const auto plan = plans();
  for (int copy = 0; copy < 100; ++copy) {
    const LoadedCopy library;
    Callers callers(library);
    hook_all(library, plan, callers);
    callers.wait_for_calls();
  }
}

TEST(PatcherConcurrency, UprobesComeAndGoMeanwhile) {
  const auto plan = plans();
  for (int copy = 0; copy < 15; ++copy) {
    const LoadedCopy library;
    if (auto probe = test::Uprobe::attach(library.path(), kNames[0], 0, -1); !probe)
      GTEST_SKIP() << to_string(probe.error());
    std::atomic<int> attached = 0;
    std::atomic<bool> stop = false;
    std::thread prober([&] {
      for (; !stop; ++attached)
        EXPECT_TRUE(test::Uprobe::attach(library.path(), kNames[attached % kFunctions], 0, -1));
    });
    {
      Callers callers(library);
      hook_all(library, plan, callers);
      const int before = attached;
      while (attached < before + 2) std::this_thread::yield();
      callers.wait_for_calls();
    }
    stop = true;
    prober.join();
  }
}

}  // namespace
}  // namespace egpu::hook
