#include "cli/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace egpu::cli {
namespace {

TEST(Diagnostics, InputErrorsHavePlaceAndHint) {
  const Error error = input_error("no such file").at("a.o").hint("look again");
  EXPECT_EQ(format_error(error, false), "error: no such file\n  --> a.o\n  hint: look again\n");
  EXPECT_EQ(exit_code(error), kExitInput);
  EXPECT_EQ(error_to_json(error)["hint"], "look again");
}

TEST(Diagnostics, OurBugsAskForAReport) {
  const Error error = internal_error("no register");
  EXPECT_THAT(format_error(error, false), testing::HasSubstr("please report"));
  EXPECT_EQ(exit_code(error), kExitBug);
}

TEST(Diagnostics, ColourOnlyWhereAsked) {
  EXPECT_THAT(format_error(input_error("x"), true), testing::HasSubstr("\x1b["));
  EXPECT_EQ(format_warning("y", false), "warning: y\n");
}

}  // namespace
}  // namespace egpu::cli
