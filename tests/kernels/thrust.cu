// Thrust on device vectors.
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/gather.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/merge.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>

#include "support/cases.h"
#include "support/inputs.h"

using std::uint32_t;
using std::uint64_t;

namespace {

template <class T>
std::vector<T> host(const thrust::device_vector<T>& values) {
  std::vector<T> result(values.size());
  thrust::copy(values.begin(), values.end(), result.begin());
  return result;
}

struct Even {
  __host__ __device__ bool operator()(uint32_t value) const { return value % 2 == 0; }
};
struct Affine {
  __host__ __device__ uint32_t operator()(uint32_t a, uint32_t b) const { return a * 3 + b; }
};
struct Cube {
  __host__ __device__ uint64_t operator()(uint64_t i) const { return i * i * i; }
};

template <class T>
std::vector<T> sorted(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

CASE(sort_u32) {
  auto expected = keys<uint32_t>(9001);
  thrust::device_vector<uint32_t> values(expected.begin(), expected.end());
  thrust::sort(values.begin(), values.end());
  std::sort(expected.begin(), expected.end());
  expect(host(values), expected);
  exact(host(values));
}
CASE(sort_by_key_greater) {
  const auto in = numbers<uint32_t>(5001, 100);
  thrust::device_vector<uint32_t> labels(in.begin(), in.end());
  thrust::device_vector<uint32_t> values(in.size());
  thrust::tabulate(values.begin(), values.end(), Cube());
  thrust::stable_sort_by_key(labels.begin(), labels.end(), values.begin(),
                             thrust::greater<uint32_t>());
  exact(host(labels), host(values));
}
CASE(transform_and_reduce) {
  const auto a = keys<uint32_t>(8001, 1);
  const auto b = keys<uint32_t>(8001, 2);
  thrust::device_vector<uint32_t> left(a.begin(), a.end()), right(b.begin(), b.end());
  thrust::device_vector<uint32_t> out(a.size());
  thrust::transform(left.begin(), left.end(), right.begin(), out.begin(), Affine());
  const uint64_t cubes = thrust::transform_reduce(thrust::counting_iterator<uint64_t>(0),
                                                  thrust::counting_iterator<uint64_t>(1000), Cube(),
                                                  uint64_t{0}, thrust::plus<uint64_t>());
  expect(std::vector<uint64_t>{cubes}, std::vector<uint64_t>{999ull * 1000 / 2 * (999 * 1000 / 2)});
  exact(host(out), std::vector<uint64_t>{cubes});
}
CASE(inner_product) {
  const auto in = numbers<uint64_t>(6001, 1 << 20);
  thrust::device_vector<uint64_t> values(in.begin(), in.end());
  const uint64_t product =
      thrust::inner_product(values.begin(), values.end() - 1, values.begin() + 1, uint64_t{5});
  const std::vector<uint64_t> expected = {
      std::inner_product(in.begin(), in.end() - 1, in.begin() + 1, uint64_t{5})};
  expect(std::vector<uint64_t>{product}, expected);
  exact(expected);
}
CASE(scan_and_differences) {
  const auto in = keys<uint32_t>(7001);
  thrust::device_vector<uint32_t> values(in.begin(), in.end());
  thrust::inclusive_scan(values.begin(), values.end(), values.begin());
  const auto sums = host(values);
  thrust::device_vector<uint32_t> out(values.size());
  thrust::adjacent_difference(values.begin(), values.end(), out.begin());
  expect(host(out), in);
  exact(sums, host(out));
}
CASE(remove_and_count) {
  const auto in = keys<uint32_t>(7001);
  thrust::device_vector<uint32_t> values(in.begin(), in.end());
  const auto count = thrust::count_if(values.begin(), values.end(), Even());
  values.erase(thrust::remove_if(values.begin(), values.end(), Even()), values.end());
  std::vector<uint32_t> expected;
  std::remove_copy_if(in.begin(), in.end(), std::back_inserter(expected), Even());
  expect(host(values), expected);
  exact(host(values), std::vector<int64_t>{count});
}
CASE(search) {
  const auto in = sorted(numbers<uint32_t>(4001, 10000));
  const auto wanted = numbers<uint32_t>(1000, 11000, 2);
  thrust::device_vector<uint32_t> values(in.begin(), in.end());
  thrust::device_vector<uint32_t> needles(wanted.begin(), wanted.end());
  thrust::device_vector<uint32_t> places(wanted.size());
  thrust::lower_bound(values.begin(), values.end(), needles.begin(), needles.end(), places.begin());
  std::vector<uint32_t> expected;
  for (const uint32_t value : wanted) {
    expected.push_back(
        static_cast<uint32_t>(std::lower_bound(in.begin(), in.end(), value) - in.begin()));
  }
  expect(host(places), expected);
  exact(host(places));
}
CASE(merge) {
  const auto a = sorted(keys<uint32_t>(3001, 1));
  const auto b = sorted(keys<uint32_t>(2002, 2));
  thrust::device_vector<uint32_t> left(a.begin(), a.end()), right(b.begin(), b.end());
  thrust::device_vector<uint32_t> out(a.size() + b.size());
  thrust::merge(left.begin(), left.end(), right.begin(), right.end(), out.begin());
  std::vector<uint32_t> expected(out.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
  expect(host(out), expected);
  exact(host(out));
}
CASE(intersection) {
  const auto a = sorted(numbers<uint32_t>(3001, 5000, 1));
  const auto b = sorted(numbers<uint32_t>(2001, 5000, 2));
  thrust::device_vector<uint32_t> left(a.begin(), a.end()), right(b.begin(), b.end());
  thrust::device_vector<uint32_t> out(a.size());
  out.erase(
      thrust::set_intersection(left.begin(), left.end(), right.begin(), right.end(), out.begin()),
      out.end());
  std::vector<uint32_t> expected;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
  expect(host(out), expected);
  exact(host(out));
}
CASE(gather_and_scatter) {
  const auto in = keys<uint64_t>(3001);
  std::vector<uint32_t> order(in.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<uint32_t>(i * 1009 % order.size());
  }
  thrust::device_vector<uint64_t> values(in.begin(), in.end()), gathered(in.size()),
      back(in.size());
  thrust::device_vector<uint32_t> places(order.begin(), order.end());
  thrust::gather(places.begin(), places.end(), values.begin(), gathered.begin());
  thrust::scatter(gathered.begin(), gathered.end(), places.begin(), back.begin());
  expect(host(back), in);
  exact(host(gathered));
}
CASE(minimum_of_pairs) {
  const auto a = numbers<uint32_t>(5001, 50, 1);
  const auto b = keys<uint32_t>(5001, 2);
  thrust::device_vector<uint32_t> left(a.begin(), a.end()), right(b.begin(), b.end());
  const auto first = thrust::make_zip_iterator(left.begin(), right.begin());
  using Pair = thrust::tuple<uint32_t, uint32_t>;
  const Pair smallest = thrust::reduce(first, first + 5001, Pair(99, 0), thrust::minimum<Pair>());
  exact(std::vector<uint32_t>{thrust::get<0>(smallest), thrust::get<1>(smallest)});
}
CASE(unique_by_key) {
  const auto a = sorted(numbers<uint32_t>(4001, 900));
  thrust::device_vector<uint32_t> labels(a.begin(), a.end()), values(a.size());
  thrust::tabulate(values.begin(), values.end(), Cube());
  const auto ends = thrust::unique_by_key(labels.begin(), labels.end(), values.begin());
  labels.erase(ends.first, labels.end());
  values.erase(ends.second, values.end());
  exact(host(labels), host(values));
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
