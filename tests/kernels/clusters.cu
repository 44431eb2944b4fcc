// Clusters of blocks and the shared memory of the others.
#include <cooperative_groups.h>

#include "support/grid.h"

namespace cg = cooperative_groups;
using std::uint32_t;

namespace {

constexpr unsigned kThreads = 64;

// Launches `blocks` blocks in clusters of `size`.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), unsigned blocks, unsigned size, Arguments... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(kThreads);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = size;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

__global__ void neighbours(uint32_t* out) {
  __shared__ uint32_t cells[kThreads];
  const auto cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  const unsigned blocks = cluster.num_blocks();
  cells[threadIdx.x] = mix(global_index());
  cluster.sync();
  const uint32_t* const next = cluster.map_shared_rank(cells, (rank + 1) % blocks);
  uint32_t value = next[(threadIdx.x + 5) % kThreads] * 3;
  const uint32_t* const last = cluster.map_shared_rank(cells, blocks - 1);
  value += last[threadIdx.x];
  cluster.sync();
  out[global_index()] = value + rank * 7 + blocks;
}

// A histogram whose cells lie in all blocks of a cluster.
__global__ void histogram(const uint32_t* in, unsigned size, uint32_t* out) {
  __shared__ uint32_t counts[kThreads];
  const auto cluster = cg::this_cluster();
  counts[threadIdx.x] = 0;
  cluster.sync();
  const unsigned cells = kThreads * cluster.num_blocks();
  for (unsigned i = cluster.thread_rank(); i < size; i += cluster.num_threads()) {
    const unsigned cell = in[i] % cells;
    atomicAdd(cluster.map_shared_rank(counts, cell / kThreads) + cell % kThreads, 1);
  }
  cluster.sync();
  out[cluster.block_rank() * kThreads + threadIdx.x] = counts[threadIdx.x];
}

// Blocks pass data round, writing into each other's memory.
__global__ void ring(uint32_t* out) {
  __shared__ uint32_t cells[2][kThreads];
  const auto cluster = cg::this_cluster();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  cells[0][threadIdx.x] = mix(global_index());
  for (unsigned round = 0; round < cluster.num_blocks(); ++round) {
    cluster.sync();
    uint32_t* const target = cluster.map_shared_rank(cells[(round + 1) % 2], next);
    target[threadIdx.x] = cells[round % 2][threadIdx.x] * 3 + round;
  }
  cluster.sync();
  out[global_index()] = cells[cluster.num_blocks() % 2][threadIdx.x];
}

__global__ void __cluster_dims__(2, 2, 1) ranks(uint32_t* out) {
  const auto cluster = cg::this_cluster();
  const dim3 place = cluster.block_index();
  uint32_t clusters, contiguous;
  asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(clusters));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(contiguous));
  const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
  out[block * blockDim.x + threadIdx.x] = cluster.block_rank() + place.x * 10 + place.y * 100 +
                                          clusters * 1000 + contiguous * 10000 + threadIdx.x;
}

__global__ void split_barrier(uint32_t* out) {
  __shared__ uint32_t cell;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) cell = mix(blockIdx.x);
  auto token = cluster.barrier_arrive();
  const uint32_t own = mix(global_index());
  cluster.barrier_wait(std::move(token));
  const uint32_t other = *cluster.map_shared_rank(&cell, cluster.num_blocks() - 1);
  cluster.sync();
  out[global_index()] = own ^ other;
}

template <class Kernel>
std::vector<uint32_t> run(Kernel kernel, unsigned blocks, unsigned size) {
  const Buffer<uint32_t> out(blocks * kThreads);
  launch(kernel, blocks, size, out.get());
  return out.host();
}

}  // namespace

CASE(neighbours_2) { exact(run(neighbours, 6, 2)); }
CASE(neighbours_4) { exact(run(neighbours, 8, 4)); }
CASE(neighbours_8) { exact(run(neighbours, 16, 8)); }
CASE(histogram) {
  const auto in = keys<uint32_t>(5000);
  const Buffer<uint32_t> source(in), out(4 * kThreads);
  launch(histogram, 4, 4, source.get(), 5000u, out.get());
  std::vector<uint32_t> expected(4 * kThreads);
  for (const uint32_t value : in) ++expected[value % (4 * kThreads)];
  expect(out, expected);
  exact(out);
}
CASE(ring) { exact(run(ring, 8, 4)); }
CASE(ranks) {
  const Buffer<uint32_t> out(4 * 4 * 32);
  ranks<<<dim3(4, 4), 32>>>(out.get());
  exact(out);
}
CASE(split_barrier) { exact(run(split_barrier, 4, 2)); }

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
