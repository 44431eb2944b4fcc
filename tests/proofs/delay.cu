// How long cuCtxSynchronize and cudaDeviceSynchronize take behind a short kernel, over and over for
// SECONDS. Usage: delay [SECONDS]. Prints how many there were of each, and their median, 99th and
// 99.9th percentile and longest time in microseconds.
#include <cuda.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"

using Clock = std::chrono::steady_clock;

extern "C" __global__ void work_probed(unsigned* numbers) {
  numbers[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

// Of the call alone.
template <class Call>
double time_us(Call call) {
  const auto start = Clock::now();
  const bool good = call();
  const std::chrono::duration<double, std::micro> time = Clock::now() - start;
  if (!good) std::exit(3);
  return time.count();
}

static void print(const char* name, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto part = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  std::printf("%s_calls=%zu %s_median=%.1f %s_p99=%.1f %s_p999=%.1f %s_longest=%.1f\n", name,
              times.size(), name, part(0.5), name, part(0.99), name, part(0.999), name,
              times.back());
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 1;
  constexpr unsigned kBlocks = 132, kThreads = 128, kWarmUp = 10;
  unsigned* numbers;
  CHECK(cudaMalloc(&numbers, kBlocks * kThreads * sizeof(unsigned)));
  std::vector<double> context, device;
  const auto start = Clock::now();
  for (unsigned round = 0; Clock::now() - start < std::chrono::duration<double>(seconds); ++round) {
    work_probed<<<kBlocks, kThreads>>>(numbers);
    CHECK(cudaGetLastError());
    const bool of_context = round % 2 == 0;
    const double time = of_context ? time_us([] { return cuCtxSynchronize() == CUDA_SUCCESS; })
                                   : time_us([] { return cudaDeviceSynchronize() == cudaSuccess; });
    if (round >= kWarmUp) (of_context ? context : device).push_back(time);
  }
  if (context.empty() || device.empty()) return 3;
  unsigned last = 0;
  CHECK(cudaMemcpy(&last, numbers + kBlocks * kThreads - 1, sizeof(last), cudaMemcpyDeviceToHost));
  print("context", context);
  print("device", device);
  std::printf("launches=%zu wrong=%d\n", context.size() + device.size() + kWarmUp,
              last == kThreads - 1 ? 0 : 1);
}
