// Elements of memory that several host threads use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace egpu::emu {

// 128 bits, as registers and memory hold them.
struct alignas(16) Wide {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool operator==(const Wide&) const = default;
};

namespace atomic_detail {
__extension__ using Int128 = unsigned __int128;
inline Int128 to_int(const Wide& value) { return Int128{value.high} << 64 | value.low; }
inline Wide to_wide(Int128 value) {
  return {static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64)};
}
}  // namespace atomic_detail

// Stores `desired` where `expected` is still there; otherwise sets `expected` to what is there.
template <class T>
bool compare_exchange(T* at, T& expected, T desired) {
  if constexpr (sizeof(T) == 16) {
    namespace detail = atomic_detail;
    // Not __atomic_compare_exchange: that would call into libatomic.
    const detail::Int128 old = __sync_val_compare_and_swap(
        reinterpret_cast<detail::Int128*>(at), detail::to_int(expected), detail::to_int(desired));
    const bool stored = old == detail::to_int(expected);
    expected = detail::to_wide(old);
    return stored;
  } else {
    return __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
  }
}

template <class T>
T atomic_load(const std::byte* from) {
  if constexpr (sizeof(T) == 16) {
    // An aligned vector load is one access on every processor with AVX, and does not write.
    T value;
    asm volatile("vmovdqa %1, %%xmm0\n\tvmovdqa %%xmm0, %0"
                 : "=m"(value)
                 : "m"(*reinterpret_cast<const T*>(from))
                 : "xmm0", "memory");
    return value;
  } else {
    return __atomic_load_n(reinterpret_cast<const T*>(from), __ATOMIC_ACQUIRE);
  }
}

template <class T>
void atomic_store(std::byte* to, T value) {
  if constexpr (sizeof(T) == 16) {
    asm volatile("vmovdqa %1, %%xmm0\n\tvmovdqa %%xmm0, %0"
                 : "=m"(*reinterpret_cast<T*>(to))
                 : "m"(value)
                 : "xmm0", "memory");
  } else {
    __atomic_store_n(reinterpret_cast<T*>(to), value, __ATOMIC_RELEASE);
  }
}

// Accesses that nobody else makes at the same time.
template <class T>
T plain_load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
void plain_store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

}  // namespace egpu::emu
