#include "support/kernel_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace egpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<KernelResult> results(std::string_view text) {
  auto parsed = parse_kernel_results(text);
  EXPECT_TRUE(parsed.has_value()) << to_string(parsed.error());
  return parsed ? *parsed : std::vector<KernelResult>();
}

KernelComparison compare(std::string_view expected, std::string_view actual) {
  const auto comparison = compare_kernel_results(results(expected), results(actual));
  EXPECT_TRUE(comparison.has_value()) << to_string(comparison.error());
  return comparison ? *comparison : KernelComparison();
}

bool agree(std::string_view expected, std::string_view actual) {
  return compare(expected, actual).differences.empty();
}

TEST(KernelResults, ComparesExactLinesAsTheyAre) {
  EXPECT_TRUE(agree("a exact 12\nb exact 13\n", "b exact 13\na exact 12\n"));
  EXPECT_FALSE(agree("a exact 12\n", "a exact 13\n"));
  EXPECT_FALSE(agree("a exact 12\n", "a within abs:1 12\n"));
}

TEST(KernelResults, ComparesApproximateValuesWithinTheirBound) {
  EXPECT_TRUE(agree("a within abs:0.5 1 2 3", "a within abs:0.5 1.5 1.5 3"));
  EXPECT_FALSE(agree("a within abs:0.5 1 2 3", "a within abs:0.5 1 2 3.51"));
  EXPECT_TRUE(agree("a within rel:2^-1 8", "a within rel:2^-1 12"));
  EXPECT_FALSE(agree("a within rel:2^-1 8", "a within rel:2^-1 12.1"));
  EXPECT_TRUE(agree("a within ulp32:2 0x1p0", "a within ulp32:2 0x1.000004p0"));
  EXPECT_FALSE(agree("a within ulp32:2 0x1p0", "a within ulp32:2 0x1.000006p0"));
  EXPECT_TRUE(agree("a within ulp64:1 0x1p0", "a within ulp64:1 0x1.0000000000001p0"));
  EXPECT_FALSE(agree("a within ulp64:1 0x1p0", "a within ulp64:1 0x1.0000000000002p0"));
}

TEST(KernelResults, ToleratesNothingWhereAResultIsKnown) {
  EXPECT_TRUE(agree("a within abs:1 inf nan 0", "a within abs:1 inf nan -0"));
  EXPECT_FALSE(agree("a within abs:1 inf", "a within abs:1 1e300"));
  EXPECT_FALSE(agree("a within abs:1 1", "a within abs:1 nan"));
  EXPECT_FALSE(agree("a within abs:1 nan", "a within abs:1 1"));
  EXPECT_FALSE(agree("a within rel:1 0", "a within rel:1 0.01"));
  EXPECT_FALSE(agree("a within ulp32:1 0", "a within ulp32:1 0.01"));
}

TEST(KernelResults, NamesWhatIsMissingAndWhatNobodyExpects) {
  const KernelComparison comparison = compare("a exact 1\nb exact 2", "b exact 2\nc exact 3");
  EXPECT_EQ(comparison.cases, 3U);
  EXPECT_THAT(comparison.differences, ElementsAre("a: no result", "c: not expected"));
  EXPECT_THAT(compare("a within abs:1 1 2", "a within abs:1 1").differences,
              ElementsAre("a: 1 values, not 2"));
  EXPECT_THAT(compare("a within abs:0.25 1 2", "a within abs:0.25 1 4").differences,
              ElementsAre(HasSubstr("a: value 1 is")));
}

TEST(KernelResults, RefusesWhatIsNoResult) {
  EXPECT_THAT(results(""), IsEmpty());
  EXPECT_THAT(parse_kernel_results("a exact 1\na exact 1").error().message, HasSubstr("a"));
  EXPECT_THAT(parse_kernel_results("some error message").error().message,
              HasSubstr("'some error message'"));
  EXPECT_THAT(parse_kernel_results("a within abs:1 x").error().message, HasSubstr("'x'"));
  for (const char* const bound : {"1", "abs:", "foo:1", "rel:2^x"}) {
    const auto line = results(std::string("a within ") + bound + " 1");
    EXPECT_THAT(compare_kernel_results(line, line).error().message, HasSubstr(bound));
  }
}

}  // namespace
}  // namespace egpu
