#include "random_cases.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace egpu {
namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return otherwise;
  const std::string_view view(text);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
  EXPECT_TRUE(error == std::errc{} && end == view.data() + view.size()) << name << "=" << view;
  return value;
}

}  // namespace

RandomCases::RandomCases(std::uint64_t otherwise)
    : first_seed_(setting("EGPU_RANDOM_SEED", 1)),
      count_(setting("EGPU_RANDOM_PROGRAMS", otherwise)) {
  const std::uint64_t seconds = setting("EGPU_RANDOM_SECONDS", 0);
  if (seconds != 0) end_ = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
}

bool RandomCases::enough(std::uint64_t done) const {
  return end_ ? std::chrono::steady_clock::now() >= *end_ : done >= count_;
}

}  // namespace egpu
