// How many random cases a test goes through, and from which seed:
//   EGPU_RANDOM_PROGRAMS=N   how many; the default is the test's own
//   EGPU_RANDOM_SECONDS=N    instead: as many as begin within N seconds
//   EGPU_RANDOM_SEED=N       the seed of the first (1); each case has the next one
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace egpu {

class RandomCases {
 public:
  explicit RandomCases(std::uint64_t otherwise);

  std::uint64_t first_seed() const { return first_seed_; }
  bool enough(std::uint64_t done) const;

 private:
  std::uint64_t first_seed_;
  std::uint64_t count_;
  std::optional<std::chrono::steady_clock::time_point> end_;
};

}  // namespace egpu
