// The deadlines that bound every wait of the library.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace egpu::inject {

class Deadline {
 public:
  explicit Deadline(int milliseconds)
      : end_ns_(monotonic_ns() + static_cast<std::uint64_t>(milliseconds) * 1'000'000) {}
  // Rounded up, so that 0 means passed.
  [[nodiscard]] int left_ms() const {
    const std::uint64_t now = monotonic_ns();
    return now >= end_ns_ ? 0 : static_cast<int>((end_ns_ - now + 999'999) / 1'000'000);
  }

 private:
  std::uint64_t end_ns_;
};

}  // namespace egpu::inject
