// cub::DeviceSelect, DevicePartition and DeviceRunLengthEncode.
#include <algorithm>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#include "support/cub.h"

using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

namespace {

struct DivisibleBy {
  unsigned divisor;
  template <class T>
  __host__ __device__ bool operator()(T value) const {
    return static_cast<uint64_t>(value) % divisor == 0;
  }
};

struct Below {
  uint32_t limit;
  __host__ __device__ bool operator()(uint32_t value) const { return value < limit; }
};

// Those that hold first, the others from the end, as DevicePartition leaves them.
template <class T, class Holds>
std::vector<T> partitioned(const std::vector<T>& in, Holds holds, int& count) {
  std::vector<T> out(in.size());
  std::size_t first = 0, last = in.size();
  for (std::size_t i = 0; i < in.size(); ++i) out[holds(i) ? first++ : --last] = in[i];
  count = static_cast<int>(first);
  return out;
}

template <class T>
void select_if(std::size_t size, unsigned divisor) {
  const auto in = keys<T>(size);
  const Buffer<T> source(in), out(size);
  const Buffer<int> count(1);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceSelect::If(memory, bytes, source.get(), out.get(), count.get(),
                                 static_cast<int>(size), DivisibleBy{divisor});
  });
  std::vector<T> expected;
  std::copy_if(in.begin(), in.end(), std::back_inserter(expected), DivisibleBy{divisor});
  expect(count, std::vector<int>{static_cast<int>(expected.size())});
  expected.resize(size);
  expect(out, expected);
  exact(count, out);
}

template <class T>
void select_unique(std::size_t size, unsigned limit) {
  const auto in = numbers<T>(size, limit);
  const Buffer<T> source(in), out(size);
  const Buffer<int> count(1);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceSelect::Unique(memory, bytes, source.get(), out.get(), count.get(),
                                     static_cast<int>(size));
  });
  std::vector<T> expected;
  std::unique_copy(in.begin(), in.end(), std::back_inserter(expected));
  expect(count, std::vector<int>{static_cast<int>(expected.size())});
  expected.resize(size);
  expect(out, expected);
  exact(count, out);
}

template <class T>
void encode(const std::vector<T>& in) {
  const int size = static_cast<int>(in.size());
  const Buffer<T> source(in), unique(in.size());
  const Buffer<int> lengths(in.size()), count(1);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceRunLengthEncode::Encode(memory, bytes, source.get(), unique.get(),
                                              lengths.get(), count.get(), size);
  });
  std::vector<T> expected(in.size());
  std::vector<int> expected_lengths(in.size());
  std::size_t runs = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (i == 0 || in[i] != in[i - 1]) expected[runs++] = in[i];
    ++expected_lengths[runs - 1];
  }
  expect(count, std::vector<int>{static_cast<int>(runs)});
  expect(unique, expected);
  expect(lengths, expected_lengths);
  exact(count, unique, lengths);
}

}  // namespace

CASE(select_if_u32) { select_if<uint32_t>(20001, 3); }
CASE(select_if_u8) { select_if<uint8_t>(5001, 7); }
CASE(select_if_u64) { select_if<uint64_t>(7001, 2); }
CASE(select_flagged) {
  const auto in = keys<uint32_t>(9001);
  const auto flags = numbers<uint8_t>(9001, 3);
  const Buffer<uint32_t> source(in), out(9001);
  const Buffer<uint8_t> wanted(flags);
  const Buffer<int> count(1);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(memory, bytes, source.get(), wanted.get(), out.get(),
                                      count.get(), 9001);
  });
  std::vector<uint32_t> expected;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (flags[i] != 0) expected.push_back(in[i]);
  }
  expect(count, std::vector<int>{static_cast<int>(expected.size())});
  expected.resize(in.size());
  expect(out, expected);
  exact(count, out);
}
CASE(select_in_place) {
  auto cells = keys<uint32_t>(6001);
  const Buffer<uint32_t> data(cells);
  const Buffer<int> count(1);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceSelect::If(memory, bytes, data.get(), count.get(), 6001, DivisibleBy{5});
  });
  cells.erase(std::remove_if(cells.begin(), cells.end(),
                             [](uint32_t value) { return !DivisibleBy{5}(value); }),
              cells.end());
  const int selected = count.host()[0];
  auto results = data.host();
  results.resize(static_cast<std::size_t>(selected));
  expect(results, cells);
  exact(results);
}
CASE(unique_u32) { select_unique<uint32_t>(11001, 3); }
CASE(unique_u16) { select_unique<uint16_t>(3001, 2); }
CASE(unique_by_key) {
  auto groups = numbers<uint32_t>(5001, 700);
  std::sort(groups.begin(), groups.end());
  const Buffer<uint32_t> labels(groups), labels_out(5001);
  const Buffer<uint64_t> values(keys<uint64_t>(5001)), values_out(5001);
  const Buffer<int> count(1);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceSelect::UniqueByKey(memory, bytes, labels.get(), values.get(),
                                          labels_out.get(), values_out.get(), count.get(), 5001);
  });
  exact(count, labels_out, values_out);
}
CASE(partition_if) {
  const auto in = keys<uint32_t>(8001);
  const Buffer<uint32_t> source(in), out(8001);
  const Buffer<int> count(1);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DevicePartition::If(memory, bytes, source.get(), out.get(), count.get(), 8001,
                                    DivisibleBy{3});
  });
  int selected = 0;
  expect(out, partitioned(in, [&](std::size_t i) { return DivisibleBy{3}(in[i]); }, selected));
  expect(count, std::vector<int>{selected});
  exact(count, out);
}
CASE(partition_flagged) {
  const auto in = keys<uint64_t>(3001);
  const auto flags = numbers<uint8_t>(3001, 2);
  const Buffer<uint64_t> source(in), out(3001);
  const Buffer<uint8_t> wanted(flags);
  const Buffer<int> count(1);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DevicePartition::Flagged(memory, bytes, source.get(), wanted.get(), out.get(),
                                         count.get(), 3001);
  });
  int selected = 0;
  expect(out, partitioned(in, [&](std::size_t i) { return flags[i] != 0; }, selected));
  expect(count, std::vector<int>{selected});
  exact(count, out);
}
CASE(partition_in_three) {
  const auto in = keys<uint32_t>(4001);
  const Buffer<uint32_t> source(in), low(4001), middle(4001), high(4001);
  const Buffer<int> counts(2);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DevicePartition::If(memory, bytes, source.get(), low.get(), middle.get(),
                                    high.get(), counts.get(), 4001, Below{1u << 30},
                                    Below{3u << 30});
  });
  exact(low, middle, high, counts);
}
CASE(encode_u32) { encode(numbers<uint32_t>(9001, 3)); }
CASE(encode_u8) {
  auto in = numbers<uint8_t>(5001, 100);
  std::sort(in.begin(), in.end());
  encode(in);
}
CASE(long_runs) {
  const Buffer<uint16_t> source(numbers<uint16_t>(6001, 2));
  const Buffer<int> offsets(6001), lengths(6001), count(1);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceRunLengthEncode::NonTrivialRuns(memory, bytes, source.get(), offsets.get(),
                                                      lengths.get(), count.get(), 6001);
  });
  exact(count, offsets, lengths);
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
