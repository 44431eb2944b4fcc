// One fault by the CUDA runtime: FAULT is address, alignment, loop, barrier, memory or threads.
// Prints the error it gives, and the one that the next call gives.
#include <cstdio>
#include <string_view>

// Block 1, thread 37 of blocks of 64.
__device__ bool chosen() { return blockIdx.x == 1 && threadIdx.x == 37; }

__global__ void address(int*) {
  if (chosen()) *reinterpret_cast<volatile int*>(4096) = 1;
}
__global__ void alignment(int* words) {
  if (chosen()) *reinterpret_cast<volatile int*>(reinterpret_cast<char*>(words) + 2) = 1;
}
__global__ void loop(int* words) {
  while (chosen()) static_cast<volatile int*>(words)[0] = 1;
}
__global__ void barrier(int*) {
  if (chosen()) asm volatile("bar.sync 1, 96;");
}
__global__ void threads(int*) {}

cudaError_t launch(void (*kernel)(int*), int* words, int block = 64) {
  kernel<<<2, block>>>(words);
  const cudaError_t launched = cudaGetLastError();
  return launched == cudaSuccess ? cudaDeviceSynchronize() : launched;
}

cudaError_t exhaust_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  void* memory = nullptr;
  const cudaError_t asked = cudaMemGetInfo(&free, &total);
  return asked == cudaSuccess ? cudaMalloc(&memory, free + 1) : asked;
}

cudaError_t run(std::string_view fault, int* words) {
  if (fault == "address") return launch(address, words);
  if (fault == "alignment") return launch(alignment, words);
  if (fault == "loop") return launch(loop, words);
  if (fault == "barrier") return launch(barrier, words);
  if (fault == "memory") return exhaust_memory();
  return launch(threads, words, 2048);
}

int main(int argc, char** argv) {
  int* words = nullptr;
  if (argc != 2 || cudaMalloc(&words, 64) != cudaSuccess) return 3;
  std::printf("first=%s\n", cudaGetErrorName(run(argv[1], words)));
  std::printf("then=%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
