// A program in the running kernel, by bpf(2) itself.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace egpu {

// Why this process may not load programs; empty where it may.
std::string why_no_kernel_programs();

// A traffic classifier: what r1 points to has the addresses of a packet's first byte and end.
class KernelProgram {
 public:
  static constexpr std::int16_t kPacketBegin = 76;  // offsetof(struct __sk_buff, data), 32 bits
  static constexpr std::int16_t kPacketEnd = 80;

  // Errors hold the verifier's log.
  static Result<KernelProgram> load(std::span<const std::byte> code);

  // r0's low half.
  [[nodiscard]] Result<std::uint32_t> run(std::span<const std::byte> packet) const;

 private:
  explicit KernelProgram(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

}  // namespace egpu
