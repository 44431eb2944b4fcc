// cub::DeviceMergeSort and sorts of segments.
#include <algorithm>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <numeric>

#include "support/cub.h"

using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

namespace {

struct Less {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};

// Only the lower bits count: equal keys keep their order.
struct LessInLowBits {
  __host__ __device__ bool operator()(uint32_t a, uint32_t b) const { return (a & 63) < (b & 63); }
};

struct Point {
  uint32_t x, y, z;
  __host__ __device__ bool operator<(const Point& other) const {
    return x != other.x ? x < other.x : y != other.y ? y > other.y : z < other.z;
  }
};

template <class T, class Order>
void merge_sort(std::vector<T> values, Order order) {
  const Buffer<T> in(values);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceMergeSort::StableSortKeys(memory, bytes, in.get(),
                                                static_cast<int>(values.size()), order);
  });
  std::stable_sort(values.begin(), values.end(), order);
  expect(in, values);
  exact(in);
}

// Segments of 0 to 600 keys.
std::vector<int> offsets_of(int size) {
  Random random(3);
  std::vector<int> offsets = {0, 0};
  while (offsets.back() < size) {
    const int length = static_cast<int>(random.below(offsets.size() % 3 == 0 ? 600 : 40));
    offsets.push_back(std::min(size, offsets.back() + length));
  }
  return offsets;
}

template <class Key>
std::vector<Key> sort_on_host(std::vector<Key> values, const std::vector<int>& offsets) {
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    std::stable_sort(values.begin() + offsets[i], values.begin() + offsets[i + 1]);
  }
  return values;
}

template <class Key>
void sort_segments(int size) {
  const auto values = keys<Key>(static_cast<std::size_t>(size));
  const auto offsets = offsets_of(size);
  const Buffer<Key> in(values), out(values.size());
  const Buffer<int> ends(offsets);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceSegmentedSort::SortKeys(memory, bytes, in.get(), out.get(), size,
                                              static_cast<int>(offsets.size()) - 1, ends.get(),
                                              ends.get() + 1);
  });
  expect(out, sort_on_host(values, offsets));
  exact(out);
}

template <class Key>
void radix_sort_segments(int size) {
  const auto values = keys<Key>(static_cast<std::size_t>(size));
  const auto offsets = offsets_of(size);
  const Buffer<Key> in(values), out(values.size());
  const Buffer<int> ends(offsets);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceSegmentedRadixSort::SortKeys(memory, bytes, in.get(), out.get(), size,
                                                   static_cast<int>(offsets.size()) - 1, ends.get(),
                                                   ends.get() + 1);
  });
  expect(out, sort_on_host(values, offsets));
  exact(out);
}

}  // namespace

CASE(merge_sort_u32) { merge_sort(keys<uint32_t>(7777), Less()); }
CASE(merge_sort_u64) { merge_sort(keys<uint64_t>(2049), Less()); }
CASE(merge_sort_low_bits) { merge_sort(keys<uint32_t>(5001), LessInLowBits()); }
CASE(merge_sort_points) {
  std::vector<Point> points(3003);
  Random random(1);
  for (Point& point : points) {
    point = {static_cast<uint32_t>(random.below(20)), static_cast<uint32_t>(random.below(20)),
             static_cast<uint32_t>(random.below(1000))};
  }
  merge_sort(points, Less());
}
CASE(merge_sort_pairs) {
  auto values = numbers<uint16_t>(4001, 500);
  std::vector<uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  const Buffer<uint16_t> in(values);
  const Buffer<uint32_t> items(order);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceMergeSort::StableSortPairs(memory, bytes, in.get(), items.get(), 4001,
                                                 Less());
  });
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return values[a] < values[b]; });
  expect(items, order);
  exact(in, items);
}
CASE(segmented_sort_u32) { sort_segments<uint32_t>(9001); }
CASE(segmented_sort_f64) { sort_segments<double>(3001); }
CASE(segmented_radix_sort_u32) { radix_sort_segments<uint32_t>(5001); }

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
