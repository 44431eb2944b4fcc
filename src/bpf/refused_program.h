// Test programs that are to be refused: the first line of each says with what message, and where.
//   // expect: TEXT           a part of the message
//   // expect: line N: TEXT   at that line of the source, too
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/result.h"

namespace egpu::bpf::testing {

inline void expect_refusal(const std::filesystem::path& source, const Error& error) {
  std::ifstream file(source);
  std::string expected;
  std::getline(file, expected);
  constexpr std::string_view kPrefix = "// expect: ";
  ASSERT_TRUE(expected.starts_with(kPrefix)) << source;
  expected.erase(0, kPrefix.size());

  EXPECT_EQ(error.fault, Fault::kInput);
  if (expected.starts_with("line ")) {
    const std::size_t end = expected.find(": ");
    const std::string line = source.filename().string() + ":" + expected.substr(5, end - 5) + ")";
    EXPECT_THAT(error.place, ::testing::HasSubstr(line)) << to_string(error);
    expected.erase(0, end + 2);
  }
  EXPECT_THAT(error.message, ::testing::HasSubstr(expected));
}

}  // namespace egpu::bpf::testing
