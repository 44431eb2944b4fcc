// cub::DeviceReduce and its form for segments.
#include <algorithm>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <numeric>

#include "support/cub.h"

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

namespace {

struct Xor {
  __host__ __device__ uint32_t operator()(uint32_t a, uint32_t b) const { return a ^ b; }
};

struct Square {
  __host__ __device__ uint64_t operator()(uint32_t a) const { return uint64_t{a} * a; }
};

// The smallest and the largest at once.
struct Range {
  int32_t low, high;
};
struct Unite {
  __host__ __device__ Range operator()(const Range& a, const Range& b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};

template <class In, class Out>
void sum(const std::vector<In>& in) {
  const Buffer<In> source(in);
  const Buffer<Out> out(1);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(memory, bytes, source.get(), out.get(),
                                  static_cast<int>(in.size()));
  });
  expect(out, std::vector<Out>{std::accumulate(in.begin(), in.end(), Out(0))});
  exact(out);
}

template <class T>
void smallest(const std::vector<T>& in) {
  const Buffer<T> source(in), out(1);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::Min(memory, bytes, source.get(), out.get(),
                                  static_cast<int>(in.size()));
  });
  expect(out, std::vector<T>{*std::min_element(in.begin(), in.end())});
  exact(out);
}

template <class T>
void place_of_largest(const std::vector<T>& in) {
  const Buffer<T> source(in), value(1);
  const Buffer<int> place(1);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::ArgMax(memory, bytes, source.get(), value.get(), place.get(),
                                     static_cast<std::int64_t>(in.size()));
  });
  const auto largest = std::max_element(in.begin(), in.end());
  expect(value, std::vector<T>{*largest});
  expect(place, std::vector<int>{static_cast<int>(largest - in.begin())});
  exact(value, place);
}

// Lengths of 0 to 900.
std::vector<int> offsets_of(int segments) {
  Random random(4);
  std::vector<int> offsets = {0};
  for (int i = 0; i < segments; ++i) {
    offsets.push_back(offsets.back() + static_cast<int>(random.below(i % 4 == 0 ? 900 : 9)));
  }
  return offsets;
}

}  // namespace

CASE(sum_u32) { sum<uint32_t, uint32_t>(keys<uint32_t>(100003)); }
CASE(sum_u32_few) { sum<uint32_t, uint32_t>(keys<uint32_t>(77)); }
CASE(sum_s64) { sum<int64_t, int64_t>(numbers<int64_t>(20001, 1u << 31)); }
CASE(sum_s16) { sum<int16_t, int32_t>(numbers<int16_t>(9001, 30000)); }
CASE(sum_f32) { sum<float, float>(numbers<float>(20001, 100)); }
CASE(sum_f64) { sum<double, double>(numbers<double>(20001, 100000)); }
CASE(minimum_s32) { smallest(keys<int32_t>(30001)); }
CASE(minimum_f32) { smallest(keys<float>(10001)); }
CASE(place_of_maximum_u32) { place_of_largest(numbers<uint32_t>(15001, 5000)); }
CASE(place_of_maximum_f64) { place_of_largest(keys<double>(5001)); }
CASE(xor_u32) {
  const auto in = keys<uint32_t>(12345);
  const Buffer<uint32_t> source(in), out(1);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(memory, bytes, source.get(), out.get(), 12345, Xor(), 77u);
  });
  expect(out, std::vector<uint32_t>{std::accumulate(in.begin(), in.end(), 77u, Xor())});
  exact(out);
}
CASE(range_s32) {
  const auto in = keys<int32_t>(7001);
  std::vector<Range> ranges;
  for (const int32_t value : in) ranges.push_back({value, value});
  const Buffer<Range> source(ranges), out(1);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(memory, bytes, source.get(), out.get(), 7001, Unite(),
                                     Range{0, 0});
  });
  exact(out);
}
CASE(sum_of_squares) {
  const auto in = keys<uint32_t>(8001);
  const Buffer<uint32_t> source(in);
  const Buffer<uint64_t> out(1);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::TransformReduce(memory, bytes, source.get(), out.get(), 8001,
                                              cuda::std::plus<uint64_t>(), Square(), uint64_t{0});
  });
  uint64_t expected = 0;
  for (const uint32_t value : in) expected += Square()(value);
  expect(out, std::vector<uint64_t>{expected});
  exact(out);
}
CASE(sums_by_key) {
  auto labels = numbers<uint16_t>(6001, 40);
  std::sort(labels.begin(), labels.begin() + 4000);
  const auto in = numbers<uint32_t>(6001, 1000);
  const Buffer<uint16_t> groups(labels), unique(6001);
  const Buffer<uint32_t> source(in), sums(6001);
  const Buffer<int> count(1);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::ReduceByKey(memory, bytes, groups.get(), unique.get(), source.get(),
                                          sums.get(), count.get(), cuda::std::plus<uint32_t>(),
                                          6001);
  });
  std::vector<uint16_t> expected_keys(6001);
  std::vector<uint32_t> expected(6001);
  int runs = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (i == 0 || labels[i] != labels[i - 1])
      expected_keys[static_cast<std::size_t>(runs++)] = labels[i];
    expected[static_cast<std::size_t>(runs - 1)] += in[i];
  }
  expect(count, std::vector<int>{runs});
  expect(unique, expected_keys);
  expect(sums, expected);
  exact(count, unique, sums);
}
CASE(segmented_sum) {
  const auto offsets = offsets_of(60);
  const auto in = keys<uint32_t>(static_cast<std::size_t>(offsets.back()));
  const Buffer<uint32_t> source(in), out(60);
  const Buffer<int> ends(offsets);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::Sum(memory, bytes, source.get(), out.get(), 60, ends.get(),
                                           ends.get() + 1);
  });
  std::vector<uint32_t> expected;
  for (std::size_t i = 0; i < 60; ++i) {
    expected.push_back(std::accumulate(in.begin() + offsets[i], in.begin() + offsets[i + 1], 0u));
  }
  expect(out, expected);
  exact(out);
}
CASE(segmented_maximum) {
  const auto offsets = offsets_of(40);
  const Buffer<int64_t> source(keys<int64_t>(static_cast<std::size_t>(offsets.back()))), out(40);
  const Buffer<int> ends(offsets);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::Max(memory, bytes, source.get(), out.get(), 40, ends.get(),
                                           ends.get() + 1);
  });
  exact(out);
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
