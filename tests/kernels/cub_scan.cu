// cub::DeviceScan: sums of all that came before, in one pass with decoupled look-back.
#include <algorithm>
#include <cub/device/device_scan.cuh>

#include "support/cub.h"

using std::int32_t;
using std::int64_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

namespace {

struct Maximum {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};

// Functions x -> a x + b, one behind the other: associative, not commutative.
struct Affine {
  uint32_t a, b;
};
struct Compose {
  __host__ __device__ Affine operator()(Affine first, Affine second) const {
    return {first.a * second.a, second.a * first.b + second.b};
  }
};

template <class T, class Operation>
std::vector<T> inclusive_on_host(const std::vector<T>& in, Operation operation) {
  std::vector<T> out = in;
  for (std::size_t i = 1; i < out.size(); ++i) out[i] = operation(out[i - 1], in[i]);
  return out;
}

struct Sum {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};

template <class T>
void exclusive_sum(const std::vector<T>& in) {
  const int size = static_cast<int>(in.size());
  const Buffer<T> source(in), out(in.size());
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, source.get(), out.get(), size);
  });
  std::vector<T> expected(in.size());
  for (std::size_t i = 1; i < in.size(); ++i) {
    expected[i] = static_cast<T>(expected[i - 1] + in[i - 1]);
  }
  expect(out, expected);
  exact(out);
}

template <class T, class Operation>
void inclusive_scan(const std::vector<T>& in, Operation operation) {
  const int size = static_cast<int>(in.size());
  const Buffer<T> source(in), out(in.size());
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(memory, bytes, source.get(), out.get(), operation, size);
  });
  expect(out, inclusive_on_host(in, operation));
  exact(out);
}

std::vector<Affine> affine_functions(std::size_t size) {
  Random random(1);
  std::vector<Affine> functions(size);
  for (Affine& function : functions) {
    function = {static_cast<uint32_t>(random.next()) | 1, static_cast<uint32_t>(random.next())};
  }
  return functions;
}

}  // namespace

CASE(exclusive_sum_u32) { exclusive_sum(keys<uint32_t>(33333)); }
CASE(exclusive_sum_one) { exclusive_sum(keys<uint32_t>(1)); }
CASE(exclusive_sum_u64) { exclusive_sum(keys<uint64_t>(5001)); }
CASE(exclusive_sum_u8) { exclusive_sum(keys<uint8_t>(4095)); }
CASE(exclusive_sum_f32) { exclusive_sum(numbers<float>(6007, 100)); }
CASE(inclusive_sum_s64) { inclusive_scan(numbers<int64_t>(10001, 1 << 30), Sum()); }
CASE(inclusive_maximum_s32) { inclusive_scan(keys<int32_t>(9999), Maximum()); }
CASE(inclusive_maximum_f64) { inclusive_scan(keys<double>(2500), Maximum()); }
CASE(inclusive_compositions) { inclusive_scan(affine_functions(7001), Compose()); }
CASE(exclusive_maximum) {
  const auto in = keys<int32_t>(3001);
  const Buffer<int32_t> source(in), out(in.size());
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveScan(memory, bytes, source.get(), out.get(), Maximum(), -5,
                                          3001);
  });
  std::vector<int32_t> expected = {-5};
  for (std::size_t i = 0; i + 1 < in.size(); ++i) {
    expected.push_back(std::max(expected.back(), in[i]));
  }
  expect(out, expected);
  exact(out);
}
CASE(sum_by_key) {
  const auto groups = numbers<uint16_t>(8001, 3);
  const auto in = numbers<uint32_t>(8001, 1000);
  const Buffer<uint16_t> labels(groups);
  const Buffer<uint32_t> source(in), out(in.size());
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSumByKey(memory, bytes, labels.get(), source.get(), out.get(),
                                              8001);
  });
  auto expected = in;
  for (std::size_t i = 1; i < in.size(); ++i) {
    if (groups[i] == groups[i - 1]) expected[i] += expected[i - 1];
  }
  expect(out, expected);
  exact(out);
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
