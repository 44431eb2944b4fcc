// CLOCK_MONOTONIC, and the deadlines that bound every wait of the library.
#pragma once

#include <cstdint>
#include <ctime>

namespace egpu::inject {

inline std::uint64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

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
