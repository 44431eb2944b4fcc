// What the tests of this folder expect of generated code.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "codegen/hand_made.h"

namespace egpu::codegen::testing {

inline GeneratedModule generated(const Input& input) {
  auto module = try_generate(input);
  EXPECT_TRUE(module) << to_string(module.error());
  return module ? *module : GeneratedModule{};
}

inline std::string ptx_of(const Input& input) { return generated(input).ptx; }

// Each of the texts, in this order, possibly with others between.
// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest makes a class of it
MATCHER_P(ContainsInOrder, texts, "") {
  std::size_t from = 0;
  for (const std::string_view text : texts) {
    const std::size_t at = std::string_view(arg).find(text, from);
    if (at == std::string_view::npos) {
      *result_listener << "where \"" << text << "\" is missing after character " << from;
      return false;
    }
    from = at + text.size();
  }
  return true;
}

inline auto contains_in_order(std::initializer_list<std::string_view> texts) {
  return ContainsInOrder(std::vector<std::string_view>(texts));
}

}  // namespace egpu::codegen::testing
