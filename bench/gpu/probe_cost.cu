// What a probe costs a memory-bound kernel: the same vec_add twice in one module, one with a probe,
// launched in turn and timed with events. Usage: probe_cost [ROUNDS [ELEMENTS]]; without ELEMENTS,
// 1, 8 and 64 Mi. Without egpu both are the
// same: the ratio shows the noise. One line a size: elements, median us of both, and the median of
// the ratios round by round.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"

template <bool kProbed>
__device__ void add(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void vec_add_plain(const float* a, const float* b, float* c, std::size_t n) {
  add<false>(a, b, c, n);
}
extern "C" __global__ void vec_add_probed(const float* a, const float* b, float* c, std::size_t n) {
  add<true>(a, b, c, n);
}

using Kernel = void (*)(const float*, const float*, float*, std::size_t);

static double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

// Microseconds of one launch, averaged over `repeats` back to back.
static double time_us(Kernel kernel, const float* a, const float* b, float* c, std::size_t n,
                      int repeats) {
  static cudaEvent_t start, stop;
  if (start == nullptr) {
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
  }
  constexpr unsigned kBlock = 512;
  const auto grid = static_cast<unsigned>((n + kBlock - 1) / kBlock);
  CHECK(cudaEventRecord(start));
  for (int i = 0; i < repeats; ++i) kernel<<<grid, kBlock>>>(a, b, c, n);
  CHECK(cudaEventRecord(stop));
  CHECK(cudaGetLastError());
  CHECK(cudaEventSynchronize(stop));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  return 1000.0 * milliseconds / repeats;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 101;
  std::vector<std::size_t> sizes = {std::size_t{1} << 20, std::size_t{8} << 20,
                                    std::size_t{64} << 20};
  if (argc > 2) sizes = {std::strtoull(argv[2], nullptr, 10)};
  for (const std::size_t n : sizes) {
    float *a, *b, *c;
    CHECK(cudaMalloc(&a, n * sizeof(float)));
    CHECK(cudaMalloc(&b, n * sizeof(float)));
    CHECK(cudaMalloc(&c, n * sizeof(float)));
    CHECK(cudaMemset(a, 0, n * sizeof(float)));
    CHECK(cudaMemset(b, 0, n * sizeof(float)));
    const int repeats = n <= (std::size_t{1} << 20) ? 50 : n <= (std::size_t{8} << 20) ? 20 : 5;
    std::vector<double> plain, probed, ratio;
    for (int round = -5; round < rounds; ++round) {
      const bool plain_first = round % 2 == 0;
      double p = plain_first ? time_us(vec_add_plain, a, b, c, n, repeats) : 0;
      const double q = time_us(vec_add_probed, a, b, c, n, repeats);
      if (!plain_first) p = time_us(vec_add_plain, a, b, c, n, repeats);
      if (round < 0) continue;  // warm-up
      plain.push_back(p);
      probed.push_back(q);
      ratio.push_back(q / p);
    }
    std::printf("elements=%zu plain_us=%.2f probed_us=%.2f ratio=%.3f\n", n, median(plain),
                median(probed), median(ratio));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
  }
}
