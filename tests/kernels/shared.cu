// Shared memory and the barriers that order it.
#include <cuda/barrier>

#include "support/grid.h"

// A barrier in shared memory is not constructed but initialised by hand.
#pragma nv_diag_suppress 20054

using std::uint32_t;
using std::uint64_t;

namespace {

constexpr unsigned kBlocks = 4;
constexpr unsigned kThreads = 256;
constexpr unsigned kAll = kBlocks * kThreads;

template <class Kernel>
std::vector<uint32_t> run(Kernel kernel) {
  const Buffer<uint32_t> out(kAll);
  kernel<<<kBlocks, kThreads>>>(out.get());
  return out.host();
}

__global__ void block_sum(uint32_t* out) {
  __shared__ uint32_t cells[kThreads];
  cells[threadIdx.x] = mix(global_index());
  __syncthreads();
  for (unsigned step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) cells[threadIdx.x] += cells[threadIdx.x + step];
    __syncthreads();
  }
  out[global_index()] = cells[0] + threadIdx.x;
}

__global__ void reverse(uint32_t* out) {
  __shared__ uint32_t cells[kThreads];
  cells[threadIdx.x] = mix(global_index());
  __syncthreads();
  out[global_index()] = cells[kThreads - 1 - threadIdx.x];
}

__global__ void prefix_sum(uint32_t* out) {
  __shared__ uint32_t cells[2][kThreads];
  unsigned side = 0;
  cells[0][threadIdx.x] = global_index() % 7;
  for (unsigned step = 1; step < kThreads; step *= 2) {
    __syncthreads();
    const uint32_t before = threadIdx.x >= step ? cells[side][threadIdx.x - step] : 0;
    cells[side ^ 1][threadIdx.x] = cells[side][threadIdx.x] + before;
    side ^= 1;
  }
  __syncthreads();
  out[global_index()] = cells[side][threadIdx.x];
}

constexpr unsigned kTile = 32;
constexpr unsigned kWidth = 70;
constexpr unsigned kHeight = 45;

__global__ void transpose(const uint32_t* in, uint32_t* out) {
  __shared__ uint32_t tile[kTile][kTile + 1];
  unsigned x = blockIdx.x * kTile + threadIdx.x;
  unsigned y = blockIdx.y * kTile + threadIdx.y;
  for (unsigned n = 0; n < kTile; n += blockDim.y) {
    if (x < kWidth && y + n < kHeight)
      tile[threadIdx.y + n][threadIdx.x] = in[(y + n) * kWidth + x];
  }
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (unsigned n = 0; n < kTile; n += blockDim.y) {
    if (x < kHeight && y + n < kWidth) {
      out[(y + n) * kHeight + x] = tile[threadIdx.x][threadIdx.y + n];
    }
  }
}

constexpr unsigned kSize = 48;

// Sums are in a fixed order: exact.
template <class T>
__global__ void multiply(const T* a, const T* b, T* c) {
  __shared__ T left[16][16];
  __shared__ T right[16][16];
  const unsigned row = blockIdx.y * 16 + threadIdx.y;
  const unsigned column = blockIdx.x * 16 + threadIdx.x;
  T sum = 0;
  for (unsigned n = 0; n < kSize; n += 16) {
    left[threadIdx.y][threadIdx.x] = a[row * kSize + n + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(n + threadIdx.y) * kSize + column];
    __syncthreads();
    for (unsigned k = 0; k < 16; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  c[row * kSize + column] = sum;
}

template <class T>
void multiply_matrices() {
  const auto a = numbers<T>(kSize * kSize, 1000, 1);
  const auto b = numbers<T>(kSize * kSize, 1000, 2);
  const Buffer<T> left(a), right(b), product(kSize * kSize);
  multiply<<<dim3(3, 3), dim3(16, 16)>>>(left.get(), right.get(), product.get());
  std::vector<T> expected(kSize * kSize);
  for (unsigned row = 0; row < kSize; ++row) {
    for (unsigned column = 0; column < kSize; ++column) {
      for (unsigned k = 0; k < kSize; ++k) {
        expected[row * kSize + column] += a[row * kSize + k] * b[k * kSize + column];
      }
    }
  }
  expect(product, expected);
  exact(product);
}

// Accesses of all widths, also unlike those that wrote the bytes.
__global__ void widths(uint32_t* out) {
  __shared__ alignas(16) unsigned char bytes[kThreads * 16];
  auto* const words = reinterpret_cast<uint32_t*>(bytes);
  auto* const quads = reinterpret_cast<uint4*>(bytes);
  auto* const longs = reinterpret_cast<uint64_t*>(bytes);
  auto* const shorts = reinterpret_cast<unsigned short*>(bytes);
  const unsigned i = global_index();
  quads[threadIdx.x] = make_uint4(mix(i), i, ~i, mix(i + 1));
  __syncthreads();
  uint32_t sum = bytes[threadIdx.x * 5] + shorts[threadIdx.x * 7] * 3;
  sum += static_cast<uint32_t>(longs[threadIdx.x * 2 + 1] >> 13);
  __syncthreads();
  bytes[threadIdx.x * 16 + 3] = 77;
  shorts[threadIdx.x * 8 + 3] = 1234;
  __syncthreads();
  const float2 pair = reinterpret_cast<const float2*>(bytes)[(threadIdx.x + 9) % kThreads];
  out[i] = sum + words[threadIdx.x * 4] + words[(threadIdx.x * 4 + 1) % (kThreads * 4)] +
           __float_as_uint(pair.x) * 3 + __float_as_uint(pair.y);
}

extern __shared__ uint32_t dynamic[];

__global__ void dynamic_shared(uint32_t* out, unsigned cells) {
  for (unsigned n = threadIdx.x; n < cells; n += blockDim.x) dynamic[n] = mix(n + blockIdx.x);
  __syncthreads();
  uint32_t sum = 0;
  for (unsigned n = threadIdx.x; n < cells; n += blockDim.x) sum = sum * 3 + dynamic[cells - 1 - n];
  out[global_index()] = sum;
}

__global__ void static_and_dynamic(uint32_t* out) {
  __shared__ uint32_t fixed[100];
  __shared__ double numbers[10];
  if (threadIdx.x < 100) fixed[threadIdx.x] = threadIdx.x * 3;
  if (threadIdx.x < 10) numbers[threadIdx.x] = threadIdx.x * 0.5;
  dynamic[threadIdx.x] = threadIdx.x * 7;
  __syncthreads();
  out[global_index()] = fixed[(threadIdx.x * 3) % 100] + dynamic[(threadIdx.x * 5) % kThreads] +
                        static_cast<uint32_t>(numbers[threadIdx.x % 10] * 4);
}

__global__ void counted_barriers(uint32_t* out) {
  const unsigned i = global_index();
  const int count = __syncthreads_count(mix(i) % 3 == 0);
  const int all = __syncthreads_and(threadIdx.x < 300);
  const int none = __syncthreads_and(threadIdx.x < 200);
  const int any = __syncthreads_or(threadIdx.x == 9 && blockIdx.x == 2);
  out[i] = static_cast<uint32_t>(count) * 16 + (all != 0) * 4 + (none != 0) * 2 + (any != 0);
}

// One half of the block makes, the other takes, over two named barriers.
__global__ void named_barriers(uint32_t* out) {
  __shared__ uint32_t cells[128];
  const unsigned half = threadIdx.x / 128;
  const unsigned place = threadIdx.x % 128;
  uint32_t sum = 0;
  for (uint32_t round = 0; round < 10; ++round) {
    if (half == 0) {
      cells[place] = mix(place + round * 128 + blockIdx.x);
      asm volatile("bar.arrive 1, 256;" ::: "memory");
      asm volatile("bar.sync 2, 256;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 256;" ::: "memory");
      sum = sum * 3 + cells[127 - place];
      asm volatile("bar.arrive 2, 256;" ::: "memory");
    }
  }
  out[global_index()] = sum;
}

// Warps meet in parts of a block; lanes of a warp come to the barrier on different ways.
__global__ void barriers_in_branches(uint32_t* out) {
  __shared__ uint32_t cells[kThreads];
  const unsigned pair = threadIdx.x / 64;
  cells[threadIdx.x] = mix(threadIdx.x);
  uint32_t sum;
  if (pair % 2 == 0) {
    asm volatile("barrier.sync %0, 64;" ::"r"(pair + 1) : "memory");
    sum = cells[pair * 64 + (threadIdx.x + 33) % 64];
  } else {
    asm volatile("barrier.sync %0, 64;" ::"r"(pair + 1) : "memory");
    sum = cells[pair * 64 + (threadIdx.x + 40) % 64] * 3;
  }
  __syncthreads();
  out[global_index()] = sum;
}

__global__ void barrier_reductions(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t count, all, any;
  asm volatile(
      "{ .reg .pred p, q;\n\t"
      "setp.lt.u32 p, %3, 77;\n\t"
      "barrier.red.popc.u32 %0, 3, 256, p;\n\t"
      "barrier.red.and.pred q, 3, 256, p;\n\t"
      "selp.u32 %1, 1, 0, q;\n\t"
      "barrier.red.or.pred q, 3, 256, !p;\n\t"
      "selp.u32 %2, 1, 0, q; }"
      : "=r"(count), "=r"(all), "=r"(any)
      : "r"(threadIdx.x)
      : "memory");
  out[i] = count * 4 + all * 2 + any;
}

// Threads that are done leave; the others' barriers do not wait for them.
__global__ void barriers_after_exit(uint32_t* out) {
  __shared__ uint32_t sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (threadIdx.x >= 160) return;
  atomicAdd(&sum, threadIdx.x);
  __syncthreads();
  out[global_index()] = sum;
}

// Barriers in memory, with phases: mbarrier.
__global__ void memory_barriers(uint32_t* out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ Barrier barrier;
  __shared__ uint32_t cells[kThreads];
  if (threadIdx.x == 0) init(&barrier, kThreads);
  __syncthreads();
  uint32_t value = global_index();
  for (uint32_t round = 0; round < 5; ++round) {
    cells[threadIdx.x] = mix(value + round);
    auto token = barrier.arrive();
    value = value * 5 + round;
    barrier.wait(std::move(token));
    value ^= cells[(threadIdx.x + 65) % kThreads];
    barrier.arrive_and_wait();
  }
  out[global_index()] = value;
}

// Pointers into shared memory, as generic addresses and back.
__device__ __noinline__ uint32_t read_any(const uint32_t* pointer) { return *pointer * 3; }

__global__ void generic_addresses(uint32_t* out) {
  __shared__ uint32_t cells[kThreads];
  uint32_t own[4];
  const unsigned i = global_index();
  cells[threadIdx.x] = mix(i);
  for (unsigned n = 0; n < 4; ++n) own[n] = mix(i + n);
  out[i] = i;
  __syncthreads();
  const uint32_t* const pointers[3] = {&cells[(threadIdx.x + 1) % kThreads], &own[i % 4], &out[i]};
  uint32_t sum = read_any(pointers[i % 3]) + read_any(pointers[mix(i) % 3]);
  sum += __isShared(pointers[i % 3]) + __isLocal(pointers[i % 3]) * 2 +
         __isGlobal(pointers[i % 3]) * 4;
  sum += *static_cast<const uint32_t*>(
      __cvta_shared_to_generic(__cvta_generic_to_shared(&cells[threadIdx.x])));
  out[i] = sum;
}

}  // namespace

CASE(block_sum) { exact(run(block_sum)); }
CASE(reverse) { exact(run(reverse)); }
CASE(prefix_sum) {
  std::vector<uint32_t> expected(kAll);
  for (unsigned i = 0; i < kAll; ++i) {
    expected[i] = (i % kThreads != 0 ? expected[i - 1] : 0) + i % 7;
  }
  const auto results = run(prefix_sum);
  expect(results, expected);
  exact(results);
}
CASE(transpose) {
  const auto in = keys<uint32_t>(kWidth * kHeight);
  const Buffer<uint32_t> source(in), out(kWidth * kHeight);
  transpose<<<dim3(3, 2), dim3(kTile, 8)>>>(source.get(), out.get());
  std::vector<uint32_t> expected(kWidth * kHeight);
  for (unsigned y = 0; y < kHeight; ++y) {
    for (unsigned x = 0; x < kWidth; ++x) expected[x * kHeight + y] = in[y * kWidth + x];
  }
  expect(out, expected);
  exact(out);
}
CASE(multiply_matrices_u32) { multiply_matrices<uint32_t>(); }
CASE(multiply_matrices_f32) { multiply_matrices<float>(); }
CASE(multiply_matrices_f64) { multiply_matrices<double>(); }
CASE(widths) { exact(run(widths)); }
CASE(dynamic_shared) {
  const Buffer<uint32_t> out(kAll);
  dynamic_shared<<<kBlocks, kThreads, 4000 * 4>>>(out.get(), 4000);
  exact(out);
}
CASE(dynamic_shared_of_200_kilobytes) {
  constexpr unsigned kCells = 51200;
  CHECK(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kCells * 4));
  const Buffer<uint32_t> out(kAll);
  dynamic_shared<<<kBlocks, kThreads, kCells * 4>>>(out.get(), kCells);
  exact(out);
}
CASE(static_and_dynamic) {
  const Buffer<uint32_t> out(kAll);
  static_and_dynamic<<<kBlocks, kThreads, kThreads * 4>>>(out.get());
  exact(out);
}
CASE(counted_barriers) { exact(run(counted_barriers)); }
CASE(named_barriers) { exact(run(named_barriers)); }
CASE(barriers_in_branches) { exact(run(barriers_in_branches)); }
CASE(barrier_reductions) {
  const auto results = run(barrier_reductions);
  expect(results, std::vector<uint32_t>(kAll, 77 * 4 + 1));
  exact(results);
}
CASE(barriers_after_exit) { exact(run(barriers_after_exit)); }
CASE(memory_barriers) { exact(run(memory_barriers)); }
CASE(generic_addresses) { exact(run(generic_addresses)); }

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
