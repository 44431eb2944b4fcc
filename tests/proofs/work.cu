// Work for probes: BLOCKS of THREADS, each of which stays for MICROSECONDS, in LAUNCHES launches of
// work_probed after one of fill_probed. Usage: work BLOCKS THREADS LAUNCHES [MICROSECONDS]
// Not more than one block is on an SM at a time, so few blocks use few SMs. Prints what was
// launched and how many results are wrong; exit 1 where one is.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"

constexpr unsigned kResults = 1 << 20;
constexpr int kHalfOfShared = 120 << 10;  // of an SM: more than one block could have twice

__host__ __device__ unsigned result_of(unsigned index, unsigned launch) {
  return (index ^ launch * 2654435761U) * 40503U;
}

// Every thread writes results one grid apart.
__device__ void write_results(unsigned* results, unsigned launch) {
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
  if (first >= kResults) return;
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = first; i < kResults; i += stride) {
    results[i] = result_of(i, launch);
    if (kResults - i <= stride) break;
  }
}

__device__ void stay(unsigned microseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < microseconds * 1000ULL);
}

extern "C" __global__ void __launch_bounds__(1024) fill_probed(unsigned* results) {
  write_results(results, 0);
}

extern "C" __global__ void __launch_bounds__(1024)
    work_probed(unsigned* results, unsigned launch, unsigned microseconds) {
  extern __shared__ unsigned first_of_block[];
  if (threadIdx.x == 0) first_of_block[0] = launch;
  __syncthreads();
  write_results(results, first_of_block[0]);
  if (microseconds != 0) stay(microseconds);
}

static unsigned number(const char* text) {
  return static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: work BLOCKS THREADS LAUNCHES [MICROSECONDS]\n");
    return 2;
  }
  const unsigned blocks = number(argv[1]), threads = number(argv[2]), launches = number(argv[3]);
  const unsigned microseconds = argc > 4 ? number(argv[4]) : 0;

  unsigned* results;
  CHECK(cudaMalloc(&results, kResults * sizeof(unsigned)));
  CHECK(cudaFuncSetAttribute(work_probed, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kHalfOfShared));
  fill_probed<<<1, 128>>>(results);
  CHECK(cudaGetLastError());
  for (unsigned launch = 1; launch <= launches; ++launch) {
    work_probed<<<blocks, threads, kHalfOfShared>>>(results, launch, microseconds);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaDeviceSynchronize());

  std::vector<unsigned> host(kResults);
  CHECK(cudaMemcpy(host.data(), results, kResults * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(results));
  unsigned wrong = 0;
  for (unsigned i = 0; i < kResults; ++i)
    if (host[i] != result_of(i, launches)) ++wrong;
  std::printf("blocks=%u threads=%u launches=%u wrong=%u\n", blocks, threads, launches, wrong);
  return wrong == 0 ? 0 : 1;
}
