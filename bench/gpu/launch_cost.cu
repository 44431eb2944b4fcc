// What egpu costs a launch-bound loop. Usage: launch_cost [LAUNCHES [ROUNDS]]. Empty kernels back
// to back; prints the median of microseconds a launch for a kernel no program matches
// (`left_alone`) and for one that is probed (`probed`).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"

extern "C" __global__ void left_alone() {}
extern "C" __global__ void empty_probed() {}

static double time_us(void (*kernel)(), int launches) {
  CHECK(cudaDeviceSynchronize());
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i) kernel<<<1, 32>>>();
  const auto end = std::chrono::steady_clock::now();
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  return std::chrono::duration<double, std::micro>(end - start).count() / launches;
}

int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 500;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 101;
  std::vector<double> alone, probed;
  for (int round = -5; round < rounds; ++round) {
    const double a = time_us(left_alone, launches);
    const double p = time_us(empty_probed, launches);
    if (round < 0) continue;  // warm-up
    alone.push_back(a);
    probed.push_back(p);
  }
  std::sort(alone.begin(), alone.end());
  std::sort(probed.begin(), probed.end());
  std::printf("left_alone_us=%.3f probed_us=%.3f\n", alone[alone.size() / 2],
              probed[probed.size() / 2]);
}
