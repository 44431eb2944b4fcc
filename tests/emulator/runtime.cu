// What programs do with the CUDA runtime, each checked on the host. Prints "ok" and ends with 0, or
// says what is wrong. For the shared runtime: nvcc -cudart shared.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "../gpu/check.h"

namespace cg = cooperative_groups;

#define EXPECT(condition)                                         \
  do {                                                            \
    if (!(condition)) {                                           \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                               \
    }                                                             \
  } while (0)

constexpr int kCount = 1024;

__constant__ int factors[4];
__device__ int total;
__managed__ int shared_number = 5;

__global__ void scale(int* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] *= factors[i % 4];
}

__global__ void add_up(const int* values) {
  extern __shared__ int parts[];
  parts[threadIdx.x] = values[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(&total, parts[0]);
}

__global__ void change_shared() { shared_number += 10; }

// Every block reads what another has written before the grid's barrier.
__global__ void rotate(int* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int count = gridDim.x * blockDim.x;
  const int mine = values[(i + blockDim.x) % count];
  cg::this_grid().sync();
  values[i] = mine;
}

template <class T>
__global__ void fill(T* values, T value) {
  values[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

std::vector<int> numbers() {
  std::vector<int> values(kCount);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

// A copy on the device.
int* upload(const std::vector<int>& values) {
  int* device = nullptr;
  CHECK(cudaMalloc(&device, values.size() * sizeof(int)));
  CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
  return device;
}

std::vector<int> download(const int* device) {
  std::vector<int> values(kCount);
  CHECK(cudaMemcpy(values.data(), device, kCount * sizeof(int), cudaMemcpyDefault));
  return values;
}

void variables() {
  const int host_factors[4] = {1, 2, 3, 4};
  CHECK(cudaMemcpyToSymbol(factors, host_factors, sizeof factors));
  int* device = upload(numbers());
  scale<<<kCount / 128, 128>>>(device);
  CHECK(cudaGetLastError());
  const std::vector<int> scaled = download(device);
  for (int i = 0; i < kCount; ++i) EXPECT(scaled[i] == i * host_factors[i % 4]);

  void* address = nullptr;
  std::size_t bytes = 0;
  CHECK(cudaGetSymbolAddress(&address, total));
  CHECK(cudaGetSymbolSize(&bytes, total));
  EXPECT(bytes == sizeof(int));
  CHECK(cudaMemset(address, 0, bytes));
  add_up<<<4, kCount / 4, kCount / 4 * sizeof(int)>>>(device);
  int sum = 0;
  CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
  EXPECT(sum == std::accumulate(scaled.begin(), scaled.end(), 0));
  CHECK(cudaFree(device));
}

void managed_memory() {
  EXPECT(shared_number == 5);
  shared_number = 20;
  change_shared<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  EXPECT(shared_number == 30);
  int* values = nullptr;
  CHECK(cudaMallocManaged(&values, kCount * sizeof(int)));
  fill<<<kCount / 64, 64>>>(values, 3);
  CHECK(cudaDeviceSynchronize());
  EXPECT(values[0] == 3 && values[kCount - 1] == 3);
  CHECK(cudaFree(values));
}

void streams() {
  cudaStream_t first, second;
  cudaEvent_t filled;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
  int* pinned = nullptr;
  int* device = nullptr;
  CHECK(cudaMallocHost(&pinned, kCount * sizeof(int)));
  CHECK(cudaMallocAsync(&device, kCount * sizeof(int), first));
  fill<<<kCount / 64, 64, 0, first>>>(device, 7);
  CHECK(cudaEventRecord(filled, first));
  CHECK(cudaStreamWaitEvent(second, filled));
  CHECK(cudaMemcpyAsync(pinned, device, kCount * sizeof(int), cudaMemcpyDeviceToHost, second));
  bool called = false;
  CHECK(cudaLaunchHostFunc(second, [](void* data) { *static_cast<bool*>(data) = true; }, &called));
  CHECK(cudaStreamSynchronize(second));
  EXPECT(called && pinned[0] == 7 && pinned[kCount - 1] == 7);
  CHECK(cudaFreeAsync(device, first));
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
}

void cooperative_launch() {
  int blocks = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rotate, 128, 0));
  EXPECT(blocks > 0);
  int* device = upload(numbers());
  void* arguments[] = {&device};
  CHECK(cudaLaunchCooperativeKernel(rotate, kCount / 128, 128, arguments));
  const std::vector<int> rotated = download(device);
  for (int i = 0; i < kCount; ++i) EXPECT(rotated[i] == (i + 128) % kCount);
  CHECK(cudaFree(device));
}

void graphs() {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  int* device = upload(numbers());
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(device, 0, kCount * sizeof(int), stream));
  fill<<<kCount / 128, 64, 0, stream>>>(device, 9);
  CHECK(cudaStreamEndCapture(stream, &graph));
  EXPECT(download(device) == numbers());
  CHECK(cudaGraphInstantiate(&executable, graph));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  const std::vector<int> filled = download(device);
  EXPECT(filled[0] == 9 && filled[kCount / 2 - 1] == 9 && filled[kCount / 2] == 0);
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(device));
}

void attributes() {
  cudaFuncAttributes kernel;
  CHECK(cudaFuncGetAttributes(&kernel, add_up));
  EXPECT(kernel.ptxVersion >= 50 && kernel.maxThreadsPerBlock > 0);
  CHECK(cudaFuncSetAttribute(add_up, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  int multiprocessors = 0;
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  EXPECT(device.multiProcessorCount == multiprocessors && device.warpSize == 32);
}

void errors() {
  fill<<<1, 4096>>>(static_cast<int*>(nullptr), 1);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(std::strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
  void* memory = nullptr;
  EXPECT(cudaMalloc(&memory, std::size_t{1} << 60) == cudaErrorMemoryAllocation);
  EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
}

void threads() {
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t)
    all.emplace_back([t] {
      int* device = upload(numbers());
      fill<<<kCount / 64, 64, 0, cudaStreamPerThread>>>(device, t);
      CHECK(cudaStreamSynchronize(cudaStreamPerThread));
      EXPECT(download(device) == std::vector<int>(kCount, t));
      CHECK(cudaFree(device));
    });
  for (std::thread& thread : all) thread.join();
}

int main() {
  variables();
  managed_memory();
  streams();
  cooperative_launch();
  graphs();
  attributes();
  errors();
  threads();
  CHECK(cudaDeviceReset());
  std::printf("ok\n");
}
