#include "cli/text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace egpu::cli {
namespace {

TEST(Text, SizesDurationsAndCounts) {
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(2162688), "2.1 MiB");
  EXPECT_EQ(format_duration_ns(20'400'000), "20 ms");
  EXPECT_EQ(format_duration_ns(1'540'000'000), "1.5 s");
  EXPECT_EQ(counted(1, "map"), "1 map");
  EXPECT_EQ(counted(0, "map"), "0 maps");
}

TEST(Text, WrapsAtSpacesBehindTheIndent) {
  EXPECT_EQ(wrap("one two three four", 11, 2), "one two\n  three\n  four");
  EXPECT_EQ(wrap("one two", 9, 2), "one two");
  EXPECT_EQ(wrap("unbreakable word", 5, 0), "unbreakable\nword");
  EXPECT_EQ(wrap("one two three four", std::nullopt, 2), "one two three four");
  EXPECT_EQ(wrap("", 10, 2), "");
}

TEST(Text, JsonOfForeignBytesIsStillJson) {
  const std::string text = json_text({{"name", "a\xff"}});
  EXPECT_TRUE(nlohmann::json::accept(text));
}

}  // namespace
}  // namespace egpu::cli
