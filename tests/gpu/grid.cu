// One launch of 2 blocks of 64 threads: the grid that the programs of tests/examples expect.
#include <cstdio>
#include <vector>

#include "check.h"

constexpr unsigned kBlocks = 2;
constexpr unsigned kThreads = 64;

__global__ void grid(unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = 3 * thread + 1;
}

int main() {
  std::vector<unsigned> out(kBlocks * kThreads);
  unsigned* device = nullptr;
  CHECK(cudaMalloc(&device, out.size() * sizeof(unsigned)));
  grid<<<kBlocks, kThreads>>>(device);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(out.data(), device, out.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  for (unsigned thread = 0; thread < out.size(); ++thread) {
    if (out[thread] == 3 * thread + 1) continue;
    std::printf("thread %u computed %u\n", thread, out[thread]);
    return 1;
  }
  return 0;
}
