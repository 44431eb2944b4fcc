// cub::DeviceRadixSort: stable, so that results are the same everywhere.
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <numeric>

#include "support/cub.h"

using std::int16_t;
using std::int64_t;
using std::int8_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

namespace {

// -0 and 0 are equal, for CUB as for the host: their order is that of the input.
template <class Key>
void sort_keys(std::size_t size) {
  auto expected = keys<Key>(size);
  const Buffer<Key> in(expected), out(size);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, in.get(), out.get(),
                                          static_cast<int>(size));
  });
  std::stable_sort(expected.begin(), expected.end());
  expect(out, expected);
  exact(out);
}

template <class Key, class Value, bool Descending = false>
void sort_pairs(std::size_t size, int first_bit = 0, int end_bit = sizeof(Key) * 8) {
  const auto unsorted = keys<Key>(size);
  std::vector<Value> order(size);
  std::iota(order.begin(), order.end(), Value(0));
  const Buffer<Key> in(unsorted), out(size);
  const Buffer<Value> values_in(order), values_out(size);
  with_memory([&](void* memory, std::size_t& bytes) {
    const auto count = static_cast<int>(size);
    if constexpr (Descending) {
      return cub::DeviceRadixSort::SortPairsDescending(memory, bytes, in.get(), out.get(),
                                                       values_in.get(), values_out.get(), count,
                                                       first_bit, end_bit);
    } else {
      return cub::DeviceRadixSort::SortPairs(memory, bytes, in.get(), out.get(), values_in.get(),
                                             values_out.get(), count, first_bit, end_bit);
    }
  });
  std::stable_sort(order.begin(), order.end(), [&](Value a, Value b) {
    const auto part = [&](Value i) { return unsorted[static_cast<std::size_t>(i)]; };
    if (end_bit - first_bit == sizeof(Key) * 8) {
      return Descending ? part(a) > part(b) : part(a) < part(b);
    }
    const auto bits = [&](Value i) {
      return static_cast<uint64_t>(part(i)) >> first_bit &
             ((uint64_t{1} << (end_bit - first_bit)) - 1);
    };
    return Descending ? bits(a) > bits(b) : bits(a) < bits(b);
  });
  expect(values_out, order);
  exact(out, values_out);
}

}  // namespace

CASE(keys_u8) { sort_keys<uint8_t>(1001); }
CASE(keys_s16) { sort_keys<int16_t>(3333); }
CASE(keys_u32_one_tile) { sort_keys<uint32_t>(700); }
CASE(keys_u32) { sort_keys<uint32_t>(20011); }
CASE(keys_s64) { sort_keys<int64_t>(9001); }
CASE(keys_f32) { sort_keys<float>(5003); }
CASE(pairs_u32_u32) { sort_pairs<uint32_t, uint32_t>(11111); }
CASE(pairs_u32_descending) { sort_pairs<uint32_t, uint32_t, true>(4097); }
CASE(pairs_u32_some_bits) { sort_pairs<uint32_t, uint32_t>(6001, 5, 17); }
CASE(pairs_f64_u64) { sort_pairs<double, uint64_t, true>(3001); }

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
