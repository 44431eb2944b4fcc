#include "codegen/trace_format.h"

#include <gtest/gtest.h>

namespace egpu::codegen {
namespace {

TEST(TraceFormat, Converts) {
  const std::uint64_t minus_two = ~std::uint64_t{1};
  EXPECT_EQ(format_trace("%d|%u|%x", {minus_two, minus_two, minus_two}), "-2|4294967294|fffffffe");
  EXPECT_EQ(format_trace("%ld %lu %lx", {minus_two, minus_two, minus_two}),
            "-2 18446744073709551614 fffffffffffffffe");
  EXPECT_EQ(format_trace("%lld %llu %llx", {1, 2, 0xab}), "1 2 ab");
  EXPECT_EQ(format_trace("%i %li %c", {5, 6, 'x'}), "5 6 x");
  EXPECT_EQ(format_trace("%p%%", {0xff, 0, 0}), "0xff%");
  EXPECT_EQ(format_trace("plain", {}), "plain");
  EXPECT_EQ(format_trace("", {}), "");
}

TEST(TraceFormat, RefusesWhatItDoesNotKnow) {
  for (const char* format :
       {"%s", "%", "%l", "%lll", "%llld", "%5d", "%f", "%lc", "%lp", "%n", "%d%d%d%d"})
    EXPECT_EQ(format_trace(format, {}), std::nullopt) << format;
}

}  // namespace
}  // namespace egpu::codegen
