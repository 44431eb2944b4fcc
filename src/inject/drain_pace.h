// When to look at the rings next: often enough that none fills up, no more often than that. Every
// look costs the program's threads some of the driver's time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace egpu::inject {

// What a round of draining met, over all rings.
struct DrainState {
  std::uint32_t fullest = 0;  // of the rings: how full it was when the round began, in per cent
  bool blocked = false;       // the service has to read first
};

class DrainPace {
 public:
  static constexpr std::uint64_t kLongestUs = 5000;

  [[nodiscard]] std::uint64_t pause_us() const { return pause_us_; }

  // `elapsed_us`: from the start of the last round to the start of this one, in which as much came
  // as is there now.
  void round(const DrainState& state, std::uint64_t elapsed_us) {
    constexpr std::uint64_t kWanted = 25;  // per cent: a segment
    constexpr std::uint64_t kShortestUs = 250;
    constexpr std::uint64_t kBlockedUs = 1000;
    // Fewer records than lately may be a lull: the pause grows step by step.
    const std::uint64_t most = std::min(std::max(2 * pause_us_, kShortestUs), kLongestUs);
    if (state.blocked)
      pause_us_ = kBlockedUs;
    else if (state.fullest >= 2 * kWanted)
      pause_us_ = 0;
    else
      pause_us_ = std::min(most, elapsed_us * kWanted / std::max(state.fullest, 1U));
  }

 private:
  std::uint64_t pause_us_ = kLongestUs;
};

}  // namespace egpu::inject
