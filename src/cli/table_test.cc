#include "cli/table.h"

#include <gtest/gtest.h>

namespace egpu::cli {
namespace {

Table sample() {
  Table table({{.header = "kernel", .may_shrink = true}, {.header = "n", .align = Align::kRight}});
  table.add_row({"void add<float>(float const*, float*)", "7"});
  table.add_row({"b", "1000"});
  return table;
}

TEST(Table, AlignsColumns) {
  EXPECT_EQ(sample().render(std::nullopt),
            "kernel                                    n\n"
            "void add<float>(float const*, float*)     7\n"
            "b                                      1000\n");
}

TEST(Table, FitsTheTerminal) {
  EXPECT_EQ(sample().render(30),
            "kernel                       n\n"
            "void add<fl...*, float*)     7\n"
            "b                         1000\n");
  EXPECT_EQ(sample().least_width(), 22u);
}

TEST(Table, DoesNotObeyWhatForeignTextSays) {
  Table table({{.header = "name"}});
  table.add_row({"a\x1b[2Jb"});
  EXPECT_EQ(table.render(std::nullopt), "name\na\\x1b[2Jb\n");
}

TEST(Table, ShortenedTextKeepsBothEnds) {
  EXPECT_EQ(shorten("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(shorten("abcdefghijk", 10), "abcd...ijk");
}

}  // namespace
}  // namespace egpu::cli
