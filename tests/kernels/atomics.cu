// Atomic operations of all kinds and types. Threads come in any order: what is compared does not
// depend on it.
#include <cuda/atomic>

#include "support/grid.h"

using std::int32_t;
using std::int64_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

namespace {

constexpr unsigned kBlocks = 7;
constexpr unsigned kThreads = 160;
constexpr unsigned kAll = kBlocks * kThreads;
constexpr unsigned kCells = 37;

template <class T, class Kernel>
std::vector<T> run(Kernel kernel, T start = T()) {
  const Buffer<T> cells(std::vector<T>(kCells, start));
  kernel<<<kBlocks, kThreads>>>(cells.get());
  return cells.host();
}

template <class T>
__global__ void add(T* cells) {
  const unsigned i = global_index();
  atomicAdd(&cells[i % kCells], static_cast<T>(i * 3));
  if (i % 5 == 0) atomicAdd(&cells[0], static_cast<T>(1));
}

__global__ void bitwise_32(uint32_t* cells) {
  const unsigned i = global_index();
  atomicAnd(&cells[i % 3], ~(1u << (i % 29)));
  atomicOr(&cells[3 + i % 5], 1u << (mix(i) % 31));
  atomicXor(&cells[8 + i % 20], mix(i));
  atomicSub(&cells[28 + i % 9], i);
}
__global__ void bitwise_64(unsigned long long* cells) {
  const unsigned i = global_index();
  atomicAnd(&cells[i % 3], ~(1ull << (i % 61)));
  atomicOr(&cells[3 + i % 5], 1ull << (mix(i) % 63));
  atomicXor(&cells[8 + i % 29], static_cast<unsigned long long>(mix(i)) << (i % 33));
}
template <class T>
__global__ void extremes(T* cells) {
  const unsigned i = global_index();
  const T value = static_cast<T>(mix(i) * 0x9e3779b97f4a7c15);
  atomicMin(&cells[i % 18], value);
  atomicMax(&cells[18 + i % 19], value);
}

// Counters that wrap: every value is given out the same number of times.
__global__ void increments(uint32_t* cells) {
  const uint32_t before = atomicInc(&cells[0], 9);
  atomicAdd(&cells[1 + before], 1);
}
__global__ void decrements(uint32_t* cells) {
  const uint32_t before = atomicDec(&cells[0], 13);
  atomicAdd(&cells[1 + before], 1);
}

// Every ticket is given out once.
__global__ void tickets(uint32_t* next, uint32_t* owner) {
  const uint32_t ticket = atomicAdd(next, 1);
  atomicAdd(&owner[ticket], 1);
}

__global__ void exchanges(uint32_t* cells) {
  // What goes in comes out or stays: the sum is known.
  const unsigned i = global_index();
  const uint32_t before = atomicExch(&cells[0], i + 1);
  atomicAdd(&cells[1], before);
}

template <class T>
__global__ void multiply_by_comparing(T* cells) {
  // The product of odd numbers, whatever the order.
  const unsigned i = global_index();
  T* const cell = &cells[i % kCells];
  T before = *cell;
  while (true) {
    const T seen = atomicCAS(cell, before, static_cast<T>(before * static_cast<T>(2 * i + 1)));
    if (seen == before) break;
    before = seen;
  }
}

// Sums of small whole numbers are exact in any order.
__global__ void float_sums(float* cells) {
  const unsigned i = global_index();
  atomicAdd(&cells[i % kCells], static_cast<float>(i % 100) * 0.25f);
}
__global__ void double_sums(double* cells) {
  const unsigned i = global_index();
  atomicAdd(&cells[i % kCells], i * 0.125);
}
__global__ void half_sums(__half* cells) {
  const unsigned i = global_index();
  atomicAdd(&cells[i % kCells], __float2half_rn(static_cast<float>(i % 4)));
  atomicAdd(reinterpret_cast<__half2*>(cells), __floats2half2_rn(1, 0));
}
__global__ void bfloat_sums(__nv_bfloat16* cells) {
  const unsigned i = global_index();
  if (i % 8 == 0) atomicAdd(&cells[i % kCells], __float2bfloat16_rn(static_cast<float>(i % 3)));
  if (i % 64 == 0) {
    atomicAdd(reinterpret_cast<__nv_bfloat162*>(cells) + 1, __floats2bfloat162_rn(1, 2));
  }
}

__global__ void in_shared_memory(uint32_t* cells) {
  __shared__ uint32_t counts[kCells];
  __shared__ unsigned long long total;
  __shared__ float sum;
  if (threadIdx.x < kCells) counts[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    total = 0;
    sum = 0;
  }
  __syncthreads();
  atomicAdd(&counts[mix(global_index()) % kCells], 1);
  atomicMax(&total, static_cast<unsigned long long>(threadIdx.x) << 33);
  atomicAdd(&sum, 0.5f);
  __syncthreads();
  if (threadIdx.x < kCells) {
    atomicAdd(&cells[threadIdx.x], counts[threadIdx.x] + static_cast<uint32_t>(total >> 33) +
                                       static_cast<uint32_t>(sum));
  }
}

__global__ void scopes(uint32_t* cells) {
  const unsigned i = global_index();
  atomicAdd_block(&cells[blockIdx.x], 3);
  atomicAdd_system(&cells[10 + i % 5], i);
  atomicOr_block(&cells[20 + blockIdx.x], 1u << (i % 32));
  atomicMax_system(&cells[30], mix(i));
}

__global__ void orders(uint32_t* cells) {
  const unsigned i = global_index();
  uint32_t before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(&cells[i % 7]), "r"(i)
               : "memory");
  if (before > 0x80000000) cells[36] = 1;  // never
  asm volatile("red.release.sys.global.xor.b32 [%0], %1;" ::"l"(&cells[7 + i % 7]), "r"(mix(i))
               : "memory");
  asm volatile("red.relaxed.cta.global.max.s32 [%0], %1;" ::"l"(&cells[20 + blockIdx.x]), "r"(i)
               : "memory");
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
  asm volatile("fence.sc.sys;" ::: "memory");
}

__global__ void atomic_references(uint32_t* cells) {
  const unsigned i = global_index();
  cuda::atomic_ref<uint32_t, cuda::thread_scope_device> cell(cells[i % kCells]);
  cell.fetch_add(i, cuda::std::memory_order_relaxed);
  cell.fetch_xor(0, cuda::std::memory_order_acq_rel);
  cell.fetch_max(0, cuda::std::memory_order_seq_cst);
  if (cell.load(cuda::std::memory_order_acquire) > kAll * kAll) cell.store(99);
}

__device__ ulonglong2 compare_and_swap(ulonglong2* cell, ulonglong2 want, ulonglong2 next) {
  ulonglong2 before;
  asm volatile(
      "{ .reg .b128 before, want, next;\n\t"
      "mov.b128 want, {%3, %4};\n\t"
      "mov.b128 next, {%5, %6};\n\t"
      "atom.global.cas.b128 before, [%2], want, next;\n\t"
      "mov.b128 {%0, %1}, before; }"
      : "=l"(before.x), "=l"(before.y)
      : "l"(cell), "l"(want.x), "l"(want.y), "l"(next.x), "l"(next.y)
      : "memory");
  return before;
}

// 128 bits at once: both halves of the pair always fit each other.
__global__ void pairs(ulonglong2* cell) {
  const unsigned i = global_index();
  ulonglong2 want = make_ulonglong2(0, 0);
  while (true) {
    const ulonglong2 next = make_ulonglong2(want.x + i, want.y + 3 * i);
    const ulonglong2 before = compare_and_swap(cell, want, next);
    if (before.x == want.x && before.y == want.y) break;
    want = before;
  }
}

}  // namespace

CASE(add_s32) { exact(run<int32_t>(add<int32_t>, -7)); }
CASE(add_u32) {
  std::vector<uint32_t> expected(kCells, 5);
  for (unsigned i = 0; i < kAll; ++i) {
    expected[i % kCells] += i * 3;
    if (i % 5 == 0) ++expected[0];
  }
  const auto results = run<uint32_t>(add<uint32_t>, 5);
  expect(results, expected);
  exact(results);
}
CASE(add_u64) { exact(run<unsigned long long>(add<unsigned long long>, 1ull << 63)); }
CASE(bitwise_32) { exact(run<uint32_t>(bitwise_32, 0xff00ff00)); }
CASE(bitwise_64) { exact(run<unsigned long long>(bitwise_64, 0xff00ff00ff00ff00)); }
CASE(extremes_s32) { exact(run<int32_t>(extremes<int32_t>)); }
CASE(extremes_u32) { exact(run<uint32_t>(extremes<uint32_t>, 1u << 31)); }
CASE(extremes_s64) { exact(run<long long>(extremes<long long>)); }
CASE(extremes_u64) { exact(run<unsigned long long>(extremes<unsigned long long>, 1ull << 62)); }
CASE(increments) { exact(run<uint32_t>(increments)); }
CASE(decrements) { exact(run<uint32_t>(decrements)); }
CASE(tickets) {
  const Buffer<uint32_t> next(1), owner(kAll);
  tickets<<<kBlocks, kThreads>>>(next.get(), owner.get());
  expect(owner, std::vector<uint32_t>(kAll, 1));
  exact(next, owner);
}
CASE(exchanges) {
  const auto cells = run<uint32_t>(exchanges);
  const std::vector<uint32_t> sum = {cells[0] + cells[1]};
  expect(sum, std::vector<uint32_t>{kAll * (kAll + 1) / 2});
  exact(sum);
}
CASE(compare_and_swap_16) { exact(run<uint16_t>(multiply_by_comparing<uint16_t>, 1)); }
CASE(compare_and_swap_32) { exact(run<uint32_t>(multiply_by_comparing<uint32_t>, 1)); }
CASE(compare_and_swap_64) {
  exact(run<unsigned long long>(multiply_by_comparing<unsigned long long>, 1));
}
CASE(float_sums) { exact(run<float>(float_sums)); }
CASE(double_sums) { exact(run<double>(double_sums)); }
CASE(half_sums) { exact(run<__half>(half_sums)); }
CASE(bfloat_sums) { exact(run<__nv_bfloat16>(bfloat_sums)); }
CASE(in_shared_memory) { exact(run<uint32_t>(in_shared_memory)); }
CASE(scopes) { exact(run<uint32_t>(scopes)); }
CASE(orders) { exact(run<uint32_t>(orders)); }
CASE(atomic_references) { exact(run<uint32_t>(atomic_references)); }
CASE(pairs) {
  const Buffer<ulonglong2> cell(1);
  pairs<<<kBlocks, kThreads>>>(cell.get());
  const ulonglong2 after = cell.host()[0];
  const std::vector<unsigned long long> sums = {after.x, after.y};
  constexpr unsigned long long kSum = kAll * (kAll - 1) / 2;
  expect(sums, std::vector<unsigned long long>{kSum, kSum * 3});
  exact(sums);
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
