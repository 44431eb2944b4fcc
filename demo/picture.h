// What the demo's kernels and the host that checks them both compute: integers alone, so that the
// results are equal to the bit.
#pragma once

namespace demo {

inline constexpr unsigned kWidth = 512;
inline constexpr unsigned kHeight = 288;
inline constexpr unsigned kPixels = kWidth * kHeight;
inline constexpr unsigned kMostSteps = 63;  // of one pixel
inline constexpr unsigned kShades = kMostSteps + 1;

// Fixed point: 28 bits behind the point.
inline constexpr long long kOne = 1LL << 28;
constexpr long long times(long long a, long long b) { return (a * b) >> 28; }

// Steps of z = z * z + c until z leaves the circle of radius 2; c is the pixel's place in the
// Mandelbrot set's neighbourhood.
constexpr unsigned steps_at(unsigned x, unsigned y) {
  const long long real = -5 * kOne / 2 + static_cast<long long>(x) * (7 * kOne / 2) / kWidth;
  const long long imaginary = -kOne + static_cast<long long>(y) * (2 * kOne) / kHeight;
  long long a = 0;
  long long b = 0;
  unsigned steps = 0;
  for (; steps < kMostSteps && times(a, a) + times(b, b) <= 4 * kOne; ++steps) {
    const long long next = times(a, a) - times(b, b) + real;
    b = 2 * times(a, b) + imaginary;
    a = next;
  }
  return steps;
}

// The mean of a pixel and its neighbours to the left and to the right, those at the edges twice.
constexpr unsigned smoothed(const unsigned* row, unsigned x) {
  const unsigned left = row[x == 0 ? 0 : x - 1];
  const unsigned right = row[x + 1 == kWidth ? x : x + 1];
  return (left + 2 * row[x] + right) / 4;
}

}  // namespace demo
