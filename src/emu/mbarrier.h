// The mbarrier object: 64 bits in shared memory, opaque to programs.
//
// It counts arrivals that are still to come in the current phase and bytes of asynchronous copies
// that are. When both are zero the phase ends: the next one expects as many arrivals again.
#pragma once

#include <cstdint>

#include "emu/atomic_access.h"

namespace egpu::emu {

inline constexpr std::uint32_t kMostArrivals = (1U << 20) - 1;
inline constexpr std::int64_t kMostTransactions = (1 << 20) - 1;

struct Mbarrier {
  std::uint32_t pending = 0;      // arrivals of this phase that are still to come
  std::uint32_t expected = 0;     // of the next phase
  std::int64_t transactions = 0;  // bytes announced and not yet there, negative: not yet announced
  bool odd = false;               // the phase's parity

  static Mbarrier unpack(std::uint64_t word) {
    constexpr std::int64_t kBias = kMostTransactions + 1;
    return {.pending = static_cast<std::uint32_t>(word & kMostArrivals),
            .expected = static_cast<std::uint32_t>(word >> 20 & kMostArrivals),
            .transactions = static_cast<std::int64_t>(word >> 40 & 0x3f'ffff) - kBias,
            .odd = word >> 63 != 0};
  }
  std::uint64_t pack() const {
    constexpr std::int64_t kBias = kMostTransactions + 1;
    return std::uint64_t{pending} | std::uint64_t{expected} << 20 |
           static_cast<std::uint64_t>(transactions + kBias) << 40 | std::uint64_t{odd} << 63;
  }

  // Each false where the counts leave their ranges, which PTX leaves undefined.
  bool arrive(std::uint32_t count) {
    if (count == 0 || count > pending) return false;
    pending -= count;
    settle();
    return true;
  }
  bool drop(std::uint32_t count) {
    if (count > expected) return false;
    expected -= count;
    return arrive(count);
  }
  bool expect(std::uint32_t bytes) {
    transactions += bytes;
    return transactions <= kMostTransactions;
  }
  bool complete(std::uint32_t bytes) {
    transactions -= bytes;
    settle();
    return transactions >= -kMostTransactions;
  }

 private:
  void settle() {
    if (pending != 0 || transactions != 0) return;
    odd = !odd;
    pending = expected;
  }
};

// What the object was before `change(Mbarrier&)`, which may be called again where others change
// it meanwhile; `valid` tells what that returned last.
template <class F>
std::uint64_t change_mbarrier(std::byte* at, bool& valid, F&& change) {
  auto* const word = reinterpret_cast<std::uint64_t*>(at);
  std::uint64_t old = atomic_load<std::uint64_t>(at);
  for (;;) {
    Mbarrier barrier = Mbarrier::unpack(old);
    valid = change(barrier);
    if (!valid || compare_exchange(word, old, barrier.pack())) return old;
  }
}

}  // namespace egpu::emu
