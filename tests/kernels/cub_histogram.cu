// cub::DeviceHistogram, DeviceAdjacentDifference and DeviceTransform.
#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_for.cuh>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_transform.cuh>
#include <cuda/std/array>

#include "support/cub.h"

using std::int32_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

namespace {

// Cells of equal width from `low` to `high`.
template <class T>
void even(const std::vector<T>& in, int levels, T low, T high) {
  const Buffer<T> source(in);
  const Buffer<int> counts(static_cast<std::size_t>(levels - 1));
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(memory, bytes, source.get(), counts.get(), levels,
                                               low, high, static_cast<int>(in.size()));
  });
  std::vector<int> expected(static_cast<std::size_t>(levels - 1));
  for (const T value : in) {
    if (value < low || !(value < high)) continue;
    // Widths are whole here.
    const auto width = static_cast<uint64_t>(high - low) / static_cast<uint64_t>(levels - 1);
    ++expected[static_cast<std::size_t>(static_cast<uint64_t>(value - low) / width)];
  }
  expect(counts, expected);
  exact(counts);
}

struct Half {
  __device__ uint32_t operator()(uint32_t a, uint16_t b) const { return a / 2 + b * 3; }
};
struct Double {
  uint32_t* cells;
  __device__ void operator()(int i) const { cells[i] *= 2; }
};

}  // namespace

CASE(even_u8) { even<uint8_t>(keys<uint8_t>(20001), 256, 0, 255); }
CASE(even_s32) { even<int32_t>(numbers<int32_t>(20001, 3000), 101, 500, 2500); }
CASE(even_f32) { even<float>(numbers<float>(10001, 1000), 65, 100.0f, 740.0f); }
CASE(even_many_cells) { even<uint32_t>(numbers<uint32_t>(30001, 40000), 20001, 0, 40000); }
CASE(ranges_s32) {
  const auto in = numbers<int32_t>(9001, 1000);
  const std::vector<int32_t> levels = {3, 10, 11, 90, 400, 401, 990};
  const Buffer<int32_t> source(in), ends(levels);
  const Buffer<int> counts(6);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramRange(memory, bytes, source.get(), counts.get(), 7,
                                                ends.get(), 9001);
  });
  std::vector<int> expected(6);
  for (const int32_t value : in) {
    for (std::size_t i = 0; i < 6; ++i) expected[i] += value >= levels[i] && value < levels[i + 1];
  }
  expect(counts, expected);
  exact(counts);
}
CASE(three_of_four_channels) {
  const auto pixels = keys<uint8_t>(4 * 5001);
  const Buffer<uint8_t> source(pixels);
  const Buffer<int> red(256), green(256), blue(256);
  const cuda::std::array<int*, 3> counts = {red.get(), green.get(), blue.get()};
  const cuda::std::array<int, 3> levels = {257, 257, 257};
  const cuda::std::array<int, 3> low = {0, 0, 0};
  const cuda::std::array<int, 3> high = {256, 256, 256};
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceHistogram::MultiHistogramEven<4, 3>(memory, bytes, source.get(), counts,
                                                          levels, low, high, 5001);
  });
  std::vector<int> expected(256);
  for (std::size_t i = 1; i < pixels.size(); i += 4) ++expected[pixels[i]];
  expect(green, expected);
  exact(red, green, blue);
}
CASE(adjacent_differences) {
  const auto in = keys<uint32_t>(7001);
  const Buffer<uint32_t> source(in), out(7001);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceAdjacentDifference::SubtractLeftCopy(memory, bytes, source.get(), out.get(),
                                                           7001);
  });
  auto expected = in;
  for (std::size_t i = 1; i < in.size(); ++i) expected[i] = in[i] - in[i - 1];
  expect(out, expected);
  exact(out);
}
CASE(transform) {
  const auto a = keys<uint32_t>(9001);
  const auto b = keys<uint16_t>(9001);
  const Buffer<uint32_t> left(a), out(9001);
  const Buffer<uint16_t> right(b);
  CHECK(cub::DeviceTransform::Transform(cuda::std::tuple{left.get(), right.get()}, out.get(), 9001,
                                        Half()));
  std::vector<uint32_t> expected(9001);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = a[i] / 2 + b[i] * 3u;
  expect(out, expected);
  exact(out);
}
CASE(for_each_index) {
  auto cells = keys<uint32_t>(5001);
  const Buffer<uint32_t> data(cells);
  CHECK(cub::DeviceFor::Bulk(5001, Double{data.get()}));
  for (uint32_t& cell : cells) cell *= 2;
  expect(data, cells);
  exact(data);
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
