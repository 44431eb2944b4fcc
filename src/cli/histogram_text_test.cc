#include "cli/histogram_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace egpu::cli {
namespace {

using testing::ElementsAre;

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

TEST(HistogramText, DrawsBarsBesideTheLargest) {
  std::vector<std::uint64_t> slots(64);
  slots[0] = 1;
  slots[10] = 1000;
  slots[11] = 500;
  slots[9] = 3;
  const auto drawn = lines(histogram_text({}, std::span(slots).subspan(0, 12), 39));
  ASSERT_EQ(drawn.size(), 12U);
  EXPECT_EQ(drawn[0], "[0]            1 |@                   |");
  EXPECT_EQ(drawn[1], "[1]            0 |                    |");
  EXPECT_EQ(drawn[2], "[2, 4)         0 |                    |");
  EXPECT_EQ(drawn[9], "[256, 512)     3 |@                   |");
  EXPECT_EQ(drawn[10], "[512, 1K)   1000 |@@@@@@@@@@@@@@@@@@@@|");
  EXPECT_EQ(drawn[11], "[1K, 2K)     500 |@@@@@@@@@@          |");
}

TEST(HistogramText, StepsAreNumbersAsTheyStandAndEndsAreOpen) {
  EXPECT_THAT(lines(histogram_text({.width = 1024, .first = 1024},
                                   std::vector<std::uint64_t>{1, 1, 2}, 38)),
              ElementsAre("(..., 1024)   1 |@@@@@@@@@@          |",
                          "[1024, 2048)  1 |@@@@@@@@@@          |",
                          "[2048, ...)   2 |@@@@@@@@@@@@@@@@@@@@|"));
}

TEST(HistogramText, FitsTerminalsAndStaysReadable) {
  const std::vector<std::uint64_t> slots = {5, 5};
  for (const std::size_t width : {20U, 40U, 60U})
    for (const std::string& line : lines(histogram_text({}, slots, width)))
      EXPECT_LE(line.size(), width);
  // The bar is neither too short to tell sizes nor longer than the eye compares.
  EXPECT_EQ(lines(histogram_text({}, slots, 3))[0], "[0]  5 |@@@@@@@@@@|");
  EXPECT_EQ(lines(histogram_text({}, slots, 500))[0].size(),
            lines(histogram_text({}, slots, {}))[0].size());
}

TEST(HistogramText, LargeCountsFillTheBarAndNoMore) {
  const std::vector<std::uint64_t> slots = {~0ULL, ~0ULL - 1, 1};
  EXPECT_THAT(lines(histogram_text({}, slots, 40)),
              ElementsAre("[0]     18446744073709551615 |@@@@@@@@@@|",
                          "[1]     18446744073709551614 |@@@@@@@@@@|",
                          "[2, 4)                     1 |@         |"));
}

}  // namespace
}  // namespace egpu::cli
