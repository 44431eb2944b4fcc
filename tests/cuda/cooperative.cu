// Cooperative groups: grid barrier, tiles, reductions; clusters where the target has them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace groups = cooperative_groups;

__global__ void grid_phases(int* data) {
  const auto grid = groups::this_grid();
  data[grid.thread_rank()] = 1;
  grid.sync();
  const auto tile = groups::tiled_partition<16>(groups::this_thread_block());
  const int sum = groups::reduce(tile, data[grid.thread_rank()], groups::plus<int>());
  if (tile.thread_rank() == 0) data[tile.meta_group_rank()] = sum;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128, 1) clustered(int* data) {
  extern __shared__ int cells[];
  const auto cluster = groups::this_cluster();
  cells[threadIdx.x] = static_cast<int>(cluster.block_rank());
  cluster.sync();
  const int* other = cluster.map_shared_rank(cells, cluster.block_rank() ^ 1u);
  data[threadIdx.x] = other[threadIdx.x];
  cluster.sync();
}
#endif
