// A function's place in the code of its program.
#pragma once

#include <cstdint>

namespace egpu::bpf {

inline constexpr std::uint32_t kMaxCallDepth =
    8;  // frames, the main function's included; as in Linux

struct Subprogram {
  std::uint32_t first = 0;  // instruction
  std::uint32_t end = 0;    // one past its last
  bool operator==(const Subprogram&) const = default;
};

}  // namespace egpu::bpf
