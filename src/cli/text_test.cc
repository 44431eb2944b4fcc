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

TEST(Text, JsonOfForeignBytesIsStillJson) {
  const std::string text = json_text({{"name", "a\xff"}});
  EXPECT_TRUE(nlohmann::json::accept(text));
}

}  // namespace
}  // namespace egpu::cli
