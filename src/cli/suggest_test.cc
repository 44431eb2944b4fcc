#include "cli/suggest.h"

#include <gtest/gtest.h>

namespace egpu::cli {
namespace {

TEST(Suggest, FindsSlipsOfTheFingers) {
  const std::vector<std::string> names = {"kernelcount", "kernelhist", "run"};
  EXPECT_EQ(nearest("kernelcuont", names), "kernelcount");
  EXPECT_EQ(nearest("kernelhits", names), "kernelhist");
  EXPECT_EQ(nearest("urn", names), "run");
  EXPECT_EQ(nearest("something", names), "");
}

TEST(Suggest, SaysOtherwiseWhenNothingIsNear) {
  EXPECT_EQ(did_you_mean("ruun", {"run"}, "see the help"), "did you mean `run`?");
  EXPECT_EQ(did_you_mean("quit", {"run"}, "see the help"), "see the help");
}

}  // namespace
}  // namespace egpu::cli
