// The clock of all times that egpu's processes tell each other. Usable where only libc is.
#pragma once

#include <cstdint>
#include <ctime>

namespace egpu {

// CLOCK_MONOTONIC in nanoseconds: one clock for all processes of a machine.
inline std::uint64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace egpu
