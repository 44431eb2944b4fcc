#include "session/assembler_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace egpu::session {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> kept(std::string_view options) {
  const auto result = options_to_keep(options);
  EXPECT_TRUE(result) << to_string(result.error());
  return result ? *result : std::vector<std::string>{};
}

TEST(AssemblerOptions, WhatChangesTheCodeIsKept) {
  EXPECT_THAT(kept(" -maxrregcount=32 "), ElementsAre("-maxrregcount=32"));
  EXPECT_THAT(kept(" --fmad false "), ElementsAre("--fmad=false"));
  EXPECT_THAT(kept("-dlcm=ca -v -O1  "), ElementsAre("-dlcm=ca", "-O1"));
}

TEST(AssemblerOptions, WhatIsAboutMessagesAndDebuggersIsNot) {
  EXPECT_THAT(kept(""), IsEmpty());
  EXPECT_THAT(kept(std::string_view("-v\0", 3)), IsEmpty());
  EXPECT_THAT(kept(" -g --dont-merge-basicblocks --return-at-end "), IsEmpty());
  EXPECT_THAT(kept(" --generate-line-info -split-compile=0 -Werror"), IsEmpty());
}

TEST(AssemblerOptions, OthersAreRefusedByName) {
  for (const std::string_view options : {"-o /etc/passwd", "--options-file=x", "-O1x",
                                         "--verbose other.ptx", "file.ptx", "-Ofast"}) {
    const auto result = options_to_keep(options);
    ASSERT_FALSE(result) << options;
    EXPECT_THAT(result.error().message, HasSubstr("an option of ptxas that egpu does not know"));
  }
}

TEST(AssemblerOptions, AnAssemblerThatTakesNoneSaysSo) {
  EXPECT_TRUE(refuse_options("driver", {}));
  const auto refused = refuse_options("driver", {"-maxrregcount=32"});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("-maxrregcount=32, which driver does not take"));
  EXPECT_THAT(refused.error().remedy, HasSubstr("ptxas"));
}

}  // namespace
}  // namespace egpu::session
