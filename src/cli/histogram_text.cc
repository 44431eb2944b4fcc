#include "cli/histogram_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace egpu::cli {
namespace {

constexpr std::size_t kUsualWidth = 80;
constexpr std::size_t kShortestBar = 10;
constexpr std::size_t kLongestBar = 60;

// Powers of two in units that readers know them by: 64K, 1M.
std::string bound_text(const maps::Scale& scale, std::uint64_t number) {
  constexpr std::string_view kUnits = "KMGTPE";
  std::size_t unit = 0;
  while (scale.width == 0 && number >= 1024 && number % 1024 == 0) {
    number /= 1024;
    ++unit;
  }
  return std::to_string(number) + (unit == 0 ? "" : std::string(1, kUnits[unit - 1]));
}

std::string range_text(const maps::Scale& scale, const maps::Bucket& bucket) {
  if (bucket.first && bucket.first == bucket.last)
    return "[" + bound_text(scale, *bucket.first) + "]";
  return (bucket.first ? "[" + bound_text(scale, *bucket.first) : "(...") + ", " +
         (bucket.last ? bound_text(scale, *bucket.last + 1) + ")" : "...)");
}

// Of `length` columns where the count is the largest; at least one for what is there.
std::size_t bar_length(std::uint64_t count, std::uint64_t largest, std::size_t length) {
  if (count == 0) return 0;
  const double part = static_cast<double>(count) / static_cast<double>(largest);
  return std::clamp<std::size_t>(static_cast<std::size_t>(part * static_cast<double>(length)), 1,
                                 length);
}

}  // namespace

std::string histogram_text(const maps::Scale& scale, std::span<const std::uint64_t> slots,
                           std::optional<std::size_t> width) {
  std::uint64_t largest = 0;
  std::size_t range_width = 0;
  const std::vector<maps::Bucket> buckets = maps::buckets_of(scale, slots);
  for (const maps::Bucket& bucket : buckets) {
    largest = std::max(largest, bucket.count);
    range_width = std::max(range_width, range_text(scale, bucket).size());
  }
  const std::size_t count_width = std::to_string(largest).size();
  const std::size_t around_bar = range_width + count_width + 5;  // gaps and the bar's ends
  const std::size_t whole = width.value_or(kUsualWidth);
  const std::size_t room = whole > around_bar ? whole - around_bar : 0;
  const std::size_t length = std::clamp(room, kShortestBar, kLongestBar);

  std::string text;
  for (const maps::Bucket& bucket : buckets)
    text += fmt::format("{:<{}}  {:>{}} |{:<{}}|\n", range_text(scale, bucket), range_width,
                        bucket.count, count_width,
                        std::string(bar_length(bucket.count, largest, length), '@'), length);
  return text;
}

}  // namespace egpu::cli
