#include "inject/drain_pace.h"

#include <gtest/gtest.h>

namespace egpu::inject {
namespace {

// Rounds that take no time, over rings that fill at `per_ms` per cent a millisecond: the most that
// a round finds, once the pace has settled, and the last pause.
struct Settled {
  std::uint32_t fullest = 0;
  std::uint64_t pause_us = 0;
};
Settled settle(DrainPace& pace, double per_ms) {
  Settled settled;
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t elapsed = pace.pause_us() + 100;
    const double filled = std::min(100.0, per_ms * static_cast<double>(elapsed) / 1000);
    const DrainState state{.fullest = static_cast<std::uint32_t>(filled)};
    pace.round(state, elapsed);
    if (round > 100) settled.fullest = std::max(settled.fullest, state.fullest);
  }
  settled.pause_us = pace.pause_us();
  return settled;
}

TEST(DrainPaces, FollowTheRecords) {
  DrainPace pace;
  EXPECT_EQ(settle(pace, 0).pause_us, DrainPace::kLongestUs);
  EXPECT_EQ(settle(pace, 1).pause_us, DrainPace::kLongestUs);
  // A ring would be full after 4 ms: it is emptied long before.
  const Settled fast = settle(pace, 25);
  EXPECT_LT(fast.fullest, 60U);
  EXPECT_GT(fast.pause_us, 100U);
  // Faster than rounds can follow.
  EXPECT_EQ(settle(pace, 1000).pause_us, 0U);
  // And back, however short the pauses were.
  EXPECT_EQ(settle(pace, 0).pause_us, DrainPace::kLongestUs);
}

TEST(DrainPaces, WaitForTheService) {
  DrainPace pace;
  settle(pace, 1000);
  pace.round({.fullest = 100, .blocked = true}, 100);
  EXPECT_GT(pace.pause_us(), 500U);
  pace.round({.fullest = 100}, 1100);
  EXPECT_EQ(pace.pause_us(), 0U);
}

}  // namespace
}  // namespace egpu::inject
