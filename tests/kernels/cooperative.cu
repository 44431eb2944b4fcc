// Cooperative groups: tiles, groups of those that agree, grids that wait for all their blocks.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "support/grid.h"

namespace cg = cooperative_groups;
using std::uint32_t;

namespace {

constexpr unsigned kBlocks = 3;
constexpr unsigned kThreads = 128;
constexpr unsigned kAll = kBlocks * kThreads;

template <class Kernel>
std::vector<uint32_t> run(Kernel kernel) {
  const Buffer<uint32_t> out(kAll);
  kernel<<<kBlocks, kThreads>>>(out.get());
  return out.host();
}

template <unsigned Size>
__global__ void tile(uint32_t* out) {
  const auto group = cg::tiled_partition<Size>(cg::this_thread_block());
  const unsigned i = global_index();
  uint32_t value = mix(i);
  value += group.shfl_xor(value, Size / 2) * 3;
  value += group.shfl_down(value, 1) + group.shfl(value, group.thread_rank() * 3 % Size);
  group.sync();
  value += group.ballot(value % 3 == 0) + (group.any(value % 7 == 0) ? 1 : 0) * 1000;
  out[i] = value + group.meta_group_rank() * 7 + group.thread_rank();
}

template <unsigned Size>
__global__ void tile_reduce(uint32_t* out) {
  const auto group = cg::tiled_partition<Size>(cg::this_thread_block());
  const unsigned i = global_index();
  const uint32_t value = mix(i);
  out[i] =
      cg::reduce(group, value, cg::plus<uint32_t>()) +
      3 * cg::reduce(group, value, cg::greater<uint32_t>()) +
      5 * cg::reduce(group, value, cg::bit_xor<uint32_t>()) +
      static_cast<uint32_t>(cg::reduce(group, static_cast<float>(value % 50), cg::plus<float>()));
}

__global__ void tile_scan(uint32_t* out) {
  const auto group = cg::tiled_partition<16>(cg::this_thread_block());
  const unsigned i = global_index();
  out[i] = cg::inclusive_scan(group, i) +
           100000 * cg::exclusive_scan(group, i % 5, cg::greater<uint32_t>());
}

// Several warps as one group, with memory of the block.
__global__ void large_tile(uint32_t* out) {
  __shared__ cg::block_tile_memory<kThreads> memory;
  const auto block = cg::this_thread_block(memory);
  const auto group = cg::tiled_partition<64>(block);
  const unsigned i = global_index();
  const uint32_t sum = cg::reduce(group, mix(i) % 1000, cg::plus<uint32_t>());
  out[i] = sum + group.shfl(i, 40) * 3 + (group.any(i == 70) ? 1 : 0);
}

__global__ void those_that_agree(uint32_t* out) {
  const unsigned i = global_index();
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto labels = cg::labeled_partition(warp, mix(i) % 4);
  const auto parts = cg::binary_partition(warp, mix(i) % 3 == 0);
  out[i] = labels.size() * 100 + labels.thread_rank() +
           cg::reduce(labels, i, cg::plus<uint32_t>()) + parts.size() * 7 + parts.shfl(i, 0);
}

// One addition for all that are here: what each gets depends on the order, the sum does not.
__global__ void coalesced(uint32_t* cells) {
  if (mix(global_index()) % 3 == 0) return;
  const auto group = cg::coalesced_threads();
  uint32_t first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(&cells[0], group.size());
  first = group.shfl(first, 0);
  atomicAdd(&cells[1], first + group.thread_rank());
}

__global__ void block_group(uint32_t* out) {
  const auto block = cg::this_thread_block();
  __shared__ uint32_t cells[kThreads];
  cells[block.thread_rank()] = mix(block.thread_rank() + block.group_index().x);
  block.sync();
  out[global_index()] = cells[block.size() - 1 - block.thread_rank()];
  block.sync();
  auto token = block.barrier_arrive();
  cells[block.thread_rank()] = 0;
  block.barrier_wait(std::move(token));
  out[global_index()] += cells[(block.thread_rank() + 50) % kThreads];
}

// Every thread reads what threads of other blocks wrote in the round before.
__global__ void grid_rounds(uint32_t* a, uint32_t* b) {
  const auto grid = cg::this_grid();
  const unsigned i = static_cast<unsigned>(grid.thread_rank());
  a[i] = mix(i);
  for (unsigned round = 0; round < 6; ++round) {
    grid.sync();
    const uint32_t* const from = round % 2 == 0 ? a : b;
    uint32_t* const to = round % 2 == 0 ? b : a;
    to[i] = from[(i + kThreads + round) % kAll] * 3 + from[i];
  }
}

}  // namespace

CASE(tile_1) { exact(run(tile<1>)); }
CASE(tile_4) { exact(run(tile<4>)); }
CASE(tile_8) { exact(run(tile<8>)); }
CASE(tile_32) { exact(run(tile<32>)); }
CASE(tile_reduce_8) { exact(run(tile_reduce<8>)); }
CASE(tile_reduce_32) { exact(run(tile_reduce<32>)); }
CASE(tile_scan) { exact(run(tile_scan)); }
CASE(large_tile) { exact(run(large_tile)); }
CASE(those_that_agree) { exact(run(those_that_agree)); }
CASE(coalesced) {
  const Buffer<uint32_t> cells(2);
  coalesced<<<kBlocks, kThreads>>>(cells.get());
  uint32_t count = 0;
  for (unsigned i = 0; i < kAll; ++i) count += mix(i) % 3 != 0;
  expect(cells, std::vector<uint32_t>{count, count * (count - 1) / 2});
  exact(cells);
}
CASE(block_group) { exact(run(block_group)); }
CASE(grid_rounds) {
  const Buffer<uint32_t> a(kAll), b(kAll);
  uint32_t* first = a.get();
  uint32_t* second = b.get();
  void* arguments[] = {&first, &second};
  CHECK(cudaLaunchCooperativeKernel(grid_rounds, kBlocks, kThreads, arguments));
  exact(a, b);
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
