// Blocks that work together through global memory, and whole algorithms.
#include <algorithm>
#include <numeric>

#include "support/grid.h"

using std::uint32_t;
using std::uint64_t;

namespace {

constexpr unsigned kThreads = 128;

// The last block to end adds up what all left.
__device__ uint32_t blocks_done = 0;
__global__ void sum_in_one_launch(const uint32_t* in, unsigned size, volatile uint64_t* partial,
                                  uint64_t* out) {
  __shared__ unsigned long long sum;
  __shared__ bool last;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  unsigned long long mine = 0;
  for (unsigned i = global_index(); i < size; i += global_size()) mine += in[i];
  atomicAdd(&sum, mine);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    uint64_t total = 0;
    for (unsigned block = 0; block < gridDim.x; ++block) total += partial[block];
    *out = total;
  }
}

// A prefix sum in one pass: a block waits for the one before it. Blocks take their numbers when
// they start, so that a block never waits for one that cannot start.
__device__ uint32_t next_block = 0;
__global__ void chained_prefix_sum(const uint32_t* in, unsigned size, volatile uint32_t* sums,
                                   volatile uint32_t* ready, uint32_t* out) {
  __shared__ uint32_t number, before;
  __shared__ uint32_t cells[kThreads];
  if (threadIdx.x == 0) number = atomicAdd(&next_block, 1);
  __syncthreads();
  const unsigned i = number * kThreads + threadIdx.x;
  cells[threadIdx.x] = i < size ? in[i] : 0;
  __syncthreads();
  for (unsigned step = 1; step < kThreads; step *= 2) {
    const uint32_t other = threadIdx.x >= step ? cells[threadIdx.x - step] : 0;
    __syncthreads();
    cells[threadIdx.x] += other;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    uint32_t sum = 0;
    if (number > 0) {
      while (ready[number - 1] == 0) {
      }
      __threadfence();
      sum = sums[number - 1];
    }
    before = sum;
    sums[number] = sum + cells[kThreads - 1];
    __threadfence();
    ready[number] = 1;
  }
  __syncthreads();
  if (i < size) out[i] = before + cells[threadIdx.x];
}

// A lock: a thread of each warp at a time changes cells that belong together.
__global__ void lock_of_blocks(uint32_t* lock, volatile uint32_t* cells) {
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x == 0) {
      while (atomicCAS(lock, 0, 1) != 0) {
      }
      __threadfence();
      cells[0] = cells[0] + 1;
      cells[1] = cells[1] + cells[0];
      __threadfence();
      atomicExch(lock, 0);
    }
    __syncthreads();
  }
}

// The same lock wanted by all lanes of a warp.
__global__ void lock_of_lanes(uint32_t* lock, volatile uint32_t* cells) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      cells[0] = cells[0] + 1;
      cells[1] = cells[1] + cells[0];
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

// A queue: some blocks make, others take. Those that make never wait.
__global__ void producers_and_consumers(volatile uint32_t* cells, uint32_t* flags, uint32_t* out) {
  const unsigned half = gridDim.x / 2;
  const unsigned i = (blockIdx.x % half) * blockDim.x + threadIdx.x;
  if (blockIdx.x < half) {
    cells[i] = mix(i);
    __threadfence();
    atomicExch(&flags[i], 1);
  } else {
    while (atomicAdd(&flags[i], 0) == 0) __nanosleep(20);
    __threadfence();
    out[i] = cells[i] * 3;
  }
}

__global__ void bitonic_step(uint32_t* cells, unsigned distance, unsigned run) {
  const unsigned i = global_index();
  const unsigned other = i ^ distance;
  if (other <= i) return;
  const bool up = (i & run) == 0;
  if ((cells[i] > cells[other]) == up) {
    const uint32_t cell = cells[i];
    cells[i] = cells[other];
    cells[other] = cell;
  }
}

// Conway's game, on a torus.
__global__ void generation(const unsigned char* in, unsigned char* out, int width, int height) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  int around = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      if (dx == 0 && dy == 0) continue;
      around += in[(y + dy + height) % height * width + (x + dx + width) % width];
    }
  }
  const bool alive = in[y * width + x] != 0;
  out[y * width + x] = around == 3 || (alive && around == 2);
}

__global__ void mandelbrot(uint32_t* out, int width) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y);
  const float a = -2.0f + 3.0f * static_cast<float>(x) / static_cast<float>(width);
  const float b = -1.0f + 2.0f * static_cast<float>(y) / static_cast<float>(gridDim.y);
  float u = 0, v = 0;
  uint32_t n = 0;
  for (; n < 100 && __fadd_rn(__fmul_rn(u, u), __fmul_rn(v, v)) < 4; ++n) {
    const float next = __fadd_rn(__fadd_rn(__fmul_rn(u, u), -__fmul_rn(v, v)), a);
    v = __fmaf_rn(2 * u, v, b);
    u = next;
  }
  out[y * width + x] = n;
}

__global__ void sieve(unsigned char* composite, unsigned limit) {
  const unsigned n = global_index() + 2;
  if (n * n > limit) return;
  for (unsigned m = n * n; m <= limit; m += n) composite[m] = 1;
}

// SHA-256's rounds: rotations and additions, 64 in a row.
__global__ void digests(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t words[16];
  for (unsigned n = 0; n < 16; ++n) words[n] = mix(i * 16 + n);
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const auto rotate = [](uint32_t value, unsigned by) { return value >> by | value << (32 - by); };
  for (unsigned n = 0; n < 64; ++n) {
    const uint32_t e = state[4], a = state[0];
    const uint32_t first = state[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                           ((e & state[5]) ^ (~e & state[6])) + words[n % 16] + n * 0x9e3779b9;
    const uint32_t second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                            ((a & state[1]) ^ (a & state[2]) ^ (state[1] & state[2]));
    for (unsigned k = 7; k > 0; --k) state[k] = state[k - 1];
    state[4] += first;
    state[0] = first + second;
    words[n % 16] += words[(n + 9) % 16] + (rotate(words[(n + 1) % 16], 7) >> 3);
  }
  for (unsigned n = 0; n < 8; ++n) out[i * 8 + n] = state[n];
}

}  // namespace

CASE(sum_in_one_launch) {
  const auto in = keys<uint32_t>(20011);
  const Buffer<uint32_t> source(in);
  const Buffer<uint64_t> partial(13), out(1);
  sum_in_one_launch<<<13, kThreads>>>(source.get(), 20011, partial.get(), out.get());
  expect(out, std::vector<uint64_t>{std::accumulate(in.begin(), in.end(), uint64_t{0})});
  exact(out);
}
CASE(chained_prefix_sum) {
  constexpr unsigned kSize = 5003;
  constexpr unsigned kBlocks = (kSize + kThreads - 1) / kThreads;
  const auto in = numbers<uint32_t>(kSize, 1000);
  const Buffer<uint32_t> source(in), sums(kBlocks), ready(kBlocks), out(kSize);
  chained_prefix_sum<<<kBlocks, kThreads>>>(source.get(), kSize, sums.get(), ready.get(),
                                            out.get());
  std::vector<uint32_t> expected(kSize);
  std::partial_sum(in.begin(), in.end(), expected.begin());
  expect(out, expected);
  exact(out);
}
CASE(lock_of_blocks) {
  const Buffer<uint32_t> lock(1), cells(2);
  lock_of_blocks<<<9, 64>>>(lock.get(), cells.get());
  expect(cells, std::vector<uint32_t>{27, 27 * 28 / 2});
  exact(cells);
}
CASE(lock_of_lanes) {
  const Buffer<uint32_t> lock(1), cells(2);
  lock_of_lanes<<<2, 96>>>(lock.get(), cells.get());
  expect(cells, std::vector<uint32_t>{192, 192 * 193 / 2});
  exact(cells);
}
CASE(producers_and_consumers) {
  constexpr unsigned kSize = 4 * kThreads;
  const Buffer<uint32_t> cells(kSize), flags(kSize), out(kSize);
  producers_and_consumers<<<8, kThreads>>>(cells.get(), flags.get(), out.get());
  exact(cells, out);
}
CASE(bitonic_sort) {
  constexpr unsigned kSize = 1024;
  auto expected = keys<uint32_t>(kSize);
  const Buffer<uint32_t> cells(expected);
  for (unsigned run = 2; run <= kSize; run *= 2) {
    for (unsigned distance = run / 2; distance > 0; distance /= 2) {
      bitonic_step<<<kSize / kThreads, kThreads>>>(cells.get(), distance, run);
    }
  }
  std::sort(expected.begin(), expected.end());
  expect(cells, expected);
  exact(cells);
}
CASE(game_of_life) {
  const Buffer<unsigned char> a(numbers<unsigned char>(67 * 43, 2)), b(67 * 43);
  for (int n = 0; n < 5; ++n) {
    generation<<<dim3(5, 6), dim3(16, 8)>>>(a.get(), b.get(), 67, 43);
    generation<<<dim3(5, 6), dim3(16, 8)>>>(b.get(), a.get(), 67, 43);
  }
  exact(a, b);
}
CASE(mandelbrot) {
  const Buffer<uint32_t> out(96 * 40);
  mandelbrot<<<dim3(3, 40), 32>>>(out.get(), 96);
  exact(out);
}
CASE(sieve) {
  constexpr unsigned kLimit = 20000;
  const Buffer<unsigned char> composite(kLimit + 1);
  sieve<<<2, kThreads>>>(composite.get(), kLimit);
  const auto results = composite.host();
  const std::vector<uint64_t> primes = {
      static_cast<uint64_t>(std::count(results.begin() + 2, results.end(), 0))};
  expect(primes, std::vector<uint64_t>{2262});
  exact(results);
}
CASE(digests) {
  const Buffer<uint32_t> out(300 * 8);
  digests<<<3, 100>>>(out.get());
  exact(out);
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
