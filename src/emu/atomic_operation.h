// What atomic operations make of the value in memory. T is the type of the register lanes: bits,
// for floating-point operations too.
#pragma once

#include <bit>
#include <cstdint>

#include "emu/arithmetic/float.h"
#include "emu/arithmetic/half.h"
#include "emu/atomic_access.h"

namespace egpu::emu {

// Each has apply(old, b, c), which gives the new value, and, where the processor has the operation,
// fetch(at, b), which gives the old one.
template <class T_>
struct AtomicAdd {
  using T = T_;
  static T apply(T old, T b, T) { return static_cast<T>(old + b); }
  static T fetch(T* at, T b) { return __atomic_fetch_add(at, b, __ATOMIC_SEQ_CST); }
};
template <class T_>
struct AtomicAnd {
  using T = T_;
  static T apply(T old, T b, T) { return old & b; }
};
template <class T_>
struct AtomicOr {
  using T = T_;
  static T apply(T old, T b, T) { return old | b; }
};
template <class T_>
struct AtomicXor {
  using T = T_;
  static T apply(T old, T b, T) { return old ^ b; }
};
template <class T_>
struct AtomicExchange {
  using T = T_;
  static T apply(T, T b, T) { return b; }
  static T fetch(T* at, T b) { return __atomic_exchange_n(at, b, __ATOMIC_SEQ_CST); }
};
template <>
struct AtomicExchange<Wide> {
  using T = Wide;
  static T apply(T, T b, T) { return b; }
};
template <class T_>
struct AtomicCompare {
  using T = T_;
  static T apply(T old, T b, T c) { return old == b ? c : old; }
};
template <class T_>
struct AtomicMin {
  using T = T_;
  static T apply(T old, T b, T) { return old < b ? old : b; }
};
template <class T_>
struct AtomicMax {
  using T = T_;
  static T apply(T old, T b, T) { return old < b ? b : old; }
};
struct AtomicIncrement {
  using T = std::uint32_t;
  static T apply(T old, T b, T) { return old >= b ? 0 : old + 1; }
};
struct AtomicDecrement {
  using T = std::uint32_t;
  static T apply(T old, T b, T) { return old == 0 || old > b ? b : old - 1; }
};

// Global memory flushes subnormal numbers of single precision, shared memory does not.
template <bool flushes>
struct AtomicAddF32 {
  using T = std::uint32_t;
  static T apply(T old, T b, T) {
    const auto x = std::bit_cast<float>(old);
    const auto y = std::bit_cast<float>(b);
    const float sum = flushes ? flush(flush(x) + flush(y)) : x + y;
    return bits_of(settle_nan(sum, x, y));
  }
};
struct AtomicAddF64 {
  using T = std::uint64_t;
  static T apply(T old, T b, T) {
    const auto x = std::bit_cast<double>(old);
    const auto y = std::bit_cast<double>(b);
    return bits_of(settle_nan(x + y, x, y));
  }
};

struct SmallAdd {
  template <class Format>
  static std::uint16_t apply(std::uint16_t a, std::uint16_t b) {
    return Format::narrow(Format::add(Format::widen(a), Format::widen(b)));
  }
};
template <bool greatest>
struct SmallExtreme {
  template <class Format>
  static std::uint16_t apply(std::uint16_t a, std::uint16_t b) {
    constexpr ExtremeMode kMode{.greatest = greatest, .nan = false, .xor_sign = false};
    return Format::narrow(extreme<kMode>(Format::widen(a), Format::widen(b)));
  }
};
template <class Operation, class Format>
struct AtomicSmall {
  using T = std::uint16_t;
  static T apply(T old, T b, T) { return Operation::template apply<Format>(old, b); }
};
// Two at once: more than is asked for, which is atomicity of each.
template <class Operation, class Format>
struct AtomicSmallPair {
  using T = std::uint32_t;
  static T apply(T old, T b, T) {
    const std::uint32_t low = Operation::template apply<Format>(static_cast<std::uint16_t>(old),
                                                                static_cast<std::uint16_t>(b));
    const std::uint32_t high = Operation::template apply<Format>(
        static_cast<std::uint16_t>(old >> 16), static_cast<std::uint16_t>(b >> 16));
    return high << 16 | low;
  }
};

}  // namespace egpu::emu
