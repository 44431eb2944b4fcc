// What the lanes of a warp do together.
#include "support/grid.h"

using std::int32_t;
using std::uint32_t;
using std::uint64_t;

namespace {

constexpr unsigned kBlocks = 3;
constexpr unsigned kThreads = 128;
constexpr unsigned kAll = kBlocks * kThreads;
constexpr unsigned kWhole = 0xffffffff;

template <class Out, class Kernel>
std::vector<Out> run(Kernel kernel) {
  const Buffer<Out> out(kAll);
  kernel<<<kBlocks, kThreads>>>(out.get());
  return out.host();
}

__global__ void shuffle_index(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t sum = 0;
  for (int width = 1; width <= 32; width *= 2) {
    sum = sum * 3 + __shfl_sync(kWhole, mix(i), static_cast<int>(i * 7 + 3), width);
  }
  out[i] = sum;
}
__global__ void shuffle_up(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t sum = 0;
  for (int width = 1; width <= 32; width *= 2) {
    sum = sum * 3 + __shfl_up_sync(kWhole, mix(i), i % 9, width);
  }
  out[i] = sum;
}
__global__ void shuffle_down(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t sum = 0;
  for (int width = 1; width <= 32; width *= 2) {
    sum = sum * 3 + __shfl_down_sync(kWhole, mix(i), i % 9, width);
  }
  out[i] = sum;
}
__global__ void shuffle_xor(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t sum = 0;
  for (int width = 1; width <= 32; width *= 2) {
    sum = sum * 3 + __shfl_xor_sync(kWhole, mix(i), static_cast<int>(i % 32), width);
  }
  out[i] = sum;
}
__global__ void shuffle_with_predicate(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t value, inside;
  asm volatile(
      "{ .reg .pred p;\n\t"
      "shfl.sync.down.b32 %0|p, %2, %3, 0x0f1f, 0xffffffff;\n\t"
      "selp.u32 %1, 1, 0, p; }"
      : "=r"(value), "=r"(inside)
      : "r"(mix(i)), "r"(i % 7));
  out[i] = value + inside * 12345;
}
__global__ void shuffle_doubles(double* out) {
  const unsigned i = global_index();
  const double value = i * 1.25;
  out[i] = __shfl_down_sync(kWhole, value, 5) + __shfl_xor_sync(kWhole, value * 3, 9);
}
// Lanes of a half only: the others do something else meanwhile.
__global__ void shuffle_in_branch(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t value = mix(i);
  if ((threadIdx.x & 16) != 0) {
    value = __shfl_xor_sync(0xffff0000, value, 3);
  } else {
    value = __shfl_up_sync(0x0000ffff, value, 2, 16) * 3;
  }
  out[i] = value;
}

__global__ void warp_sum(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t value = i * i;
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(kWhole, value, step);
  out[i] = value;
}
__global__ void warp_prefix_sum(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t value = i * i;
  for (unsigned step = 1; step < 32; step *= 2) {
    const uint32_t before = __shfl_up_sync(kWhole, value, step);
    if (threadIdx.x % 32 >= step) value += before;
  }
  out[i] = value;
}

__global__ void votes(uint32_t* out) {
  const unsigned i = global_index();
  const bool mine = mix(i) % 3 == 0;
  const uint32_t ballot = __ballot_sync(kWhole, mine);
  const uint32_t all = __all_sync(kWhole, i < 40) << 1 | __any_sync(kWhole, i == 70);
  uint32_t uniform;
  asm volatile(
      "{ .reg .pred p, q;\n\t"
      "setp.lt.u32 p, %1, 64;\n\t"
      "vote.sync.uni.pred q, p, 0xffffffff;\n\t"
      "selp.u32 %0, 4, 0, q; }"
      : "=r"(uniform)
      : "r"(i));
  out[i] = ballot ^ (all | uniform);
}
__global__ void votes_in_loop(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t left = i % 11 + 1;
  uint32_t rounds = 0;
  while (__any_sync(kWhole, left > 0)) {
    if (left > 0) --left;
    rounds = rounds * 5 + __popc(__ballot_sync(kWhole, left > 0));
  }
  out[i] = rounds;
}

__global__ void match_any(uint32_t* out) {
  const unsigned i = global_index();
  const uint64_t wide = static_cast<uint64_t>(mix(i) % 3) << 40;
  out[i] = __match_any_sync(kWhole, mix(i) % 5) + 3 * __match_any_sync(kWhole, wide);
}
__global__ void match_all(uint32_t* out) {
  const unsigned i = global_index();
  int all_same = 0, some_same = 0;
  const uint32_t all = __match_all_sync(kWhole, i / 64, &all_same);
  const uint32_t some = __match_all_sync(kWhole, static_cast<uint64_t>(i / 50), &some_same);
  out[i] = all + 3 * some + static_cast<uint32_t>(all_same * 7 + some_same * 11);
}
__global__ void reductions(uint32_t* out) {
  const unsigned i = global_index();
  const uint32_t value = mix(i);
  out[i] = __reduce_add_sync(kWhole, value) + 3 * __reduce_min_sync(kWhole, value) +
           5 * __reduce_max_sync(kWhole, value) + 7 * __reduce_and_sync(kWhole, value | 0xf0) +
           11 * __reduce_or_sync(kWhole, value & 0xf0f0) + 13 * __reduce_xor_sync(kWhole, value) +
           17 * static_cast<uint32_t>(__reduce_min_sync(kWhole, static_cast<int>(value))) +
           19 * static_cast<uint32_t>(__reduce_max_sync(kWhole, static_cast<int>(value)));
}
__global__ void reductions_of_parts(uint32_t* out) {
  const unsigned i = global_index();
  const unsigned lane = threadIdx.x % 32;
  const uint32_t mask = lane < 20 ? 0x000fffff : 0xfff00000;
  out[i] = lane < 20 ? __reduce_add_sync(mask, i) : __reduce_xor_sync(mask, i * 3);
}

// Which lanes are active is known where the compiler cannot move anything: right behind a
// barrier of the warp's lanes of this branch.
__global__ void active_lanes(uint32_t* out) {
  const unsigned i = global_index();
  const unsigned lane = threadIdx.x % 32;
  uint32_t value = 0;
  if (lane % 3 == 1) {
    __syncwarp(0x92492492);
    value = __popc(__ballot_sync(0x92492492, true) & ((1u << lane) - 1));
  }
  out[i] = value;
}
__global__ void lane_masks(uint32_t* out) {
  uint32_t lane, equal, less, less_equal, greater, greater_equal;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(equal));
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(less));
  asm volatile("mov.u32 %0, %%lanemask_le;" : "=r"(less_equal));
  asm volatile("mov.u32 %0, %%lanemask_gt;" : "=r"(greater));
  asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(greater_equal));
  out[global_index()] =
      lane + 3 * equal + 5 * less + 7 * less_equal + 11 * greater + 13 * greater_equal;
}
__global__ void elected(uint32_t* out) {
  uint32_t leader;
  uint32_t chosen = 0;
  asm volatile(
      "{ .reg .pred p;\n\t"
      "elect.sync %0|p, 0xffffffff;\n\t"
      "@p add.u32 %1, %1, 1; }"
      : "=r"(leader), "+r"(chosen));
  // Who it is is not defined, but all agree, and it is one.
  out[global_index()] = __popc(__ballot_sync(kWhole, chosen != 0)) +
                        2u * __all_sync(kWhole, leader == __shfl_sync(kWhole, leader, 0));
}

// Lanes exchange data through memory: what one wrote before __syncwarp others read behind it.
__global__ void warp_memory(uint32_t* out) {
  __shared__ uint32_t cells[kThreads];
  const unsigned warp = threadIdx.x / 32 * 32;
  const unsigned lane = threadIdx.x % 32;
  cells[threadIdx.x] = mix(global_index());
  for (unsigned step = 1; step < 32; step *= 2) {
    __syncwarp();
    const uint32_t other = cells[warp + (lane + step) % 32];
    __syncwarp();
    cells[threadIdx.x] = cells[threadIdx.x] * 3 + other;
  }
  out[global_index()] = cells[threadIdx.x];
}

// The last warp of a block is not full.
__global__ void partial_warp(uint32_t* out) {
  const unsigned lanes = blockDim.x - threadIdx.x / 32 * 32;
  const uint32_t mask = lanes >= 32 ? kWhole : (1u << lanes) - 1;
  out[global_index()] =
      __reduce_add_sync(mask, threadIdx.x) + 1000 * __popc(__ballot_sync(mask, 1));
}

}  // namespace

CASE(shuffle_index) { exact(run<uint32_t>(shuffle_index)); }
CASE(shuffle_up) { exact(run<uint32_t>(shuffle_up)); }
CASE(shuffle_down) { exact(run<uint32_t>(shuffle_down)); }
CASE(shuffle_xor) { exact(run<uint32_t>(shuffle_xor)); }
CASE(shuffle_with_predicate) { exact(run<uint32_t>(shuffle_with_predicate)); }
CASE(shuffle_doubles) { exact(run<double>(shuffle_doubles)); }
CASE(shuffle_in_branch) { exact(run<uint32_t>(shuffle_in_branch)); }
CASE(warp_sum) {
  std::vector<uint32_t> expected(kAll);
  for (uint32_t i = 0; i < kAll; ++i) {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      expected[i] += (i / 32 * 32 + lane) * (i / 32 * 32 + lane);
    }
  }
  const auto results = run<uint32_t>(warp_sum);
  expect(results, expected);
  exact(results);
}
CASE(warp_prefix_sum) {
  std::vector<uint32_t> expected(kAll);
  for (uint32_t i = 0; i < kAll; ++i) expected[i] = (i % 32 != 0 ? expected[i - 1] : 0) + i * i;
  const auto results = run<uint32_t>(warp_prefix_sum);
  expect(results, expected);
  exact(results);
}
CASE(votes) { exact(run<uint32_t>(votes)); }
CASE(votes_in_loop) { exact(run<uint32_t>(votes_in_loop)); }
CASE(match_any) { exact(run<uint32_t>(match_any)); }
CASE(match_all) { exact(run<uint32_t>(match_all)); }
CASE(reductions) { exact(run<uint32_t>(reductions)); }
CASE(reductions_of_parts) { exact(run<uint32_t>(reductions_of_parts)); }
CASE(active_lanes) { exact(run<uint32_t>(active_lanes)); }
CASE(lane_masks) { exact(run<uint32_t>(lane_masks)); }
CASE(elected) {
  const auto results = run<uint32_t>(elected);
  expect(results, std::vector<uint32_t>(kAll, 3));
  exact(results);
}
CASE(warp_memory) { exact(run<uint32_t>(warp_memory)); }
CASE(partial_warp) {
  const Buffer<uint32_t> out(2 * 77);
  partial_warp<<<2, 77>>>(out.get());
  exact(out);
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
