#include "hook/patcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

#include "hook/testdata/prologues.h"

namespace egpu::hook {
namespace {

// Records its arguments, calls the original and adds one to its result.
Sum sum_original;
std::vector<std::uint64_t> sum_arguments;
std::uint64_t sum_hook(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d,
                       std::uint64_t e, std::uint64_t f, std::uint64_t g, std::uint64_t h,
                       std::uint64_t i, std::uint64_t j, std::uint64_t k) {
  sum_arguments = {a, b, c, d, e, f, g, h, i, j, k};
  return sum_original(a, b, c, d, e, f, g, h, i, j, k) + 1;
}

class HookedFunction : public testing::TestWithParam<SumFunction> {};

TEST_P(HookedFunction, GetsItsArgumentsAndGivesItsResult) {
  const LoadedCopy library;
  const auto function = library.get<Sum>(GetParam().name);
  ASSERT_EQ(call_sum(function), kSumResult);

  ASSERT_EQ(library.hook(plan_of(GetParam().name), sum_hook, &sum_original), PatchStatus::kDone);
  sum_arguments.clear();
  EXPECT_EQ(call_sum(function), kSumResult + 1);
  EXPECT_THAT(sum_arguments, testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));

  sum_arguments.clear();
  EXPECT_EQ(call_sum(sum_original), kSumResult);
  EXPECT_TRUE(sum_arguments.empty());
}

INSTANTIATE_TEST_SUITE_P(Patcher, HookedFunction, testing::ValuesIn(kSumFunctions),
                         [](const auto& test) { return std::string(test.param.name); });

using DoubleSum = double (*)(double, double, double, double, double, double, double, double, double,
                             double);
DoubleSum double_original;
double double_hook(double a, double b, double c, double d, double e, double f, double g, double h,
                   double i, double j) {
  return double_original(a, b, c, d, e, f, g, h, i, j) * 2;
}

TEST(Patcher, KeepsVectorRegisters) {
  const LoadedCopy library;
  const auto function = library.get<DoubleSum>("double_sum");
  ASSERT_EQ(library.hook(plan_of("double_sum"), double_hook, &double_original), PatchStatus::kDone);
  EXPECT_EQ(function(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 2 * 55.5);
}

// Changes no register, so that what the caller left in %al arrives.
extern "C" {
std::uint64_t egpu_forwarded;
void* egpu_forward_to;
long egpu_forward(long, ...);
}
asm(R"(
  .text
  .globl egpu_forward
egpu_forward:
  incq egpu_forwarded(%rip)
  jmp *egpu_forward_to(%rip)
)");

TEST(Patcher, KeepsTheNumberOfVectorRegisters) {
  const LoadedCopy library;
  const auto function = library.get<long (*)(long, ...)>("variadic");
  ASSERT_EQ(patch(plan_of("variadic"), library.load_bias(), reinterpret_cast<void*>(egpu_forward),
                  &egpu_forward_to),
            PatchStatus::kDone);
  EXPECT_EQ(function(7, 1.0, 2.0, 3.0), 7003);
  EXPECT_EQ(function(8), 8000);
  EXPECT_EQ(egpu_forwarded, 2u);
}

TEST(Patcher, RefusesAFunctionThatIsNotTheOneInTheFile) {
  const LoadedCopy library;
  Sum original = nullptr;
  FunctionPlan plan = plan_of("sum_driver");
  ASSERT_EQ(library.hook(plan, sum_hook, &sum_original), PatchStatus::kDone);
  EXPECT_EQ(library.hook(plan, sum_hook, &original), PatchStatus::kMismatch);  // twice
  plan = plan_of("sum_lea");
  plan.address += 1;
  EXPECT_EQ(library.hook(plan, sum_hook, &original), PatchStatus::kMismatch);
  EXPECT_EQ(original, nullptr);
}

TEST(Patcher, RefusesAPlanThatLeadsOutsideItself) {
  const LoadedCopy library;
  const auto refused = [&](auto change) {
    Sum original = nullptr;
    FunctionPlan plan = plan_of("sum_driver");
    change(plan);
    EXPECT_EQ(library.hook(plan, sum_hook, &original), PatchStatus::kDeclined);
    EXPECT_EQ(original, nullptr);
  };
  refused([](FunctionPlan& plan) { plan.symbol[0] = '\0'; });
  refused([](FunctionPlan& plan) { plan.reason[0] = 'x'; });
  refused([](FunctionPlan& plan) { plan.patch_offset = 0; });
  refused([](FunctionPlan& plan) { plan.patch_offset = 49; });
  refused([](FunctionPlan& plan) { plan.patch_size = 4; });
  refused([](FunctionPlan& plan) { plan.expected_size = 64; });
  refused([](FunctionPlan& plan) { plan.address += 2; });  // the jump would cross a block
  refused([](FunctionPlan& plan) { plan.stub_size = 33; });
  refused([](FunctionPlan& plan) { plan.original_size = 97; });
  refused([](FunctionPlan& plan) { plan.fixup_count = 5; });
  refused(
      [](FunctionPlan& plan) { plan.fixups[0].field_offset = plan.fixups[0].instruction_end - 3; });
  refused([](FunctionPlan& plan) { plan.fixups[0].instruction_end = plan.original_size + 1; });
}

TEST(Patcher, RefusesTargetsItCannotReach) {
  const LoadedCopy library;
  Sum original = nullptr;
  FunctionPlan plan = plan_of("sum_driver");
  plan.fixups[0].target += std::int64_t{1} << 33;
  EXPECT_EQ(library.hook(plan, sum_hook, &original), PatchStatus::kNoMemory);
  EXPECT_EQ(original, nullptr);
  EXPECT_EQ(call_sum(library.get<Sum>("sum_driver")), kSumResult);
}

// It is linked into programs that may have no C++ runtime, or another one.
TEST(Patcher, NeedsNothingButTheCLibrary) {
  // NOLINTNEXTLINE(bugprone-command-processor): the command is fixed
  FILE* const symbols = popen("nm -u " HOOK_PATCHER_ARCHIVE, "r");
  ASSERT_NE(symbols, nullptr);
  char line[512];
  int count = 0;
  while (std::fgets(line, sizeof line, symbols) != nullptr) {
    const char* const name = std::strstr(line, " U ");
    if (name == nullptr) continue;
    ++count;
    const std::string_view symbol(name + 3);
    EXPECT_FALSE(symbol.starts_with("_Z") && !symbol.starts_with("_ZN4egpu4hook")) << symbol;
    EXPECT_FALSE(symbol.starts_with("__cxa") || symbol.starts_with("__gxx") ||
                 symbol.starts_with("_Unwind"))
        << symbol;
  }
  EXPECT_EQ(pclose(symbols), 0);
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace egpu::hook
