// CUB's parts for kernels of one's own: for blocks and warps.
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include "support/grid.h"

using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

namespace {

constexpr int kThreads = 128;
constexpr int kItems = 5;
constexpr int kBlocks = 3;
constexpr int kTile = kThreads * kItems;
constexpr int kAll = kBlocks * kTile;

// Loads a tile a block, lets `Operation` change it and stores it.
template <class T, class Operation, cub::BlockLoadAlgorithm Load, cub::BlockStoreAlgorithm Store>
__global__ void on_tiles(const T* in, T* out, int size) {
  using Loader = cub::BlockLoad<T, kThreads, kItems, Load>;
  using Storer = cub::BlockStore<T, kThreads, kItems, Store>;
  __shared__ union {
    typename Loader::TempStorage load;
    typename Operation::Storage work;
    typename Storer::TempStorage store;
  } storage;
  T items[kItems];
  const int first = static_cast<int>(blockIdx.x) * kTile;
  Loader(storage.load).Load(in + first, items, size - first, T(0));
  __syncthreads();
  Operation()(storage.work, items);
  __syncthreads();
  Storer(storage.store).Store(out + first, items, size - first);
}

template <class T, class Operation, cub::BlockLoadAlgorithm Load = cub::BLOCK_LOAD_TRANSPOSE,
          cub::BlockStoreAlgorithm Store = cub::BLOCK_STORE_WARP_TRANSPOSE>
std::vector<T> run(int size = kAll - 37) {
  const Buffer<T> in(keys<T>(kAll)), out(kAll);
  on_tiles<T, Operation, Load, Store><<<kBlocks, kThreads>>>(in.get(), out.get(), size);
  return out.host();
}

struct Nothing {
  using Storage = int;
  template <class T>
  __device__ void operator()(Storage&, T (&items)[kItems]) {
    for (T& item : items) item = item * 3;
  }
};

template <class T, cub::BlockScanAlgorithm Algorithm>
struct Scan {
  using Block = cub::BlockScan<T, kThreads, Algorithm>;
  using Storage = typename Block::TempStorage;
  __device__ void operator()(Storage& storage, T (&items)[kItems]) {
    T all;
    Block(storage).ExclusiveSum(items, items, all);
    items[0] += all;
  }
};

template <class T, cub::BlockReduceAlgorithm Algorithm>
struct Reduce {
  using Block = cub::BlockReduce<T, kThreads, Algorithm>;
  using Storage = typename Block::TempStorage;
  __device__ void operator()(Storage& storage, T (&items)[kItems]) {
    const T sum = Block(storage).Sum(items);
    if (threadIdx.x == 0) items[0] = sum;
  }
};

template <class T>
struct RadixSort {
  using Block = cub::BlockRadixSort<T, kThreads, kItems>;
  using Storage = typename Block::TempStorage;
  __device__ void operator()(Storage& storage, T (&items)[kItems]) { Block(storage).Sort(items); }
};

template <class T>
struct MergeSort {
  using Block = cub::BlockMergeSort<T, kThreads, kItems>;
  using Storage = typename Block::TempStorage;
  __device__ void operator()(Storage& storage, T (&items)[kItems]) {
    Block(storage).StableSort(items, [](T a, T b) { return a % 1000 < b % 1000; });
  }
};

template <class T>
struct Exchange {
  using Block = cub::BlockExchange<T, kThreads, kItems>;
  using Storage = typename Block::TempStorage;
  __device__ void operator()(Storage& storage, T (&items)[kItems]) {
    Block(storage).BlockedToStriped(items, items);
    __syncthreads();
    int ranks[kItems];
    for (int n = 0; n < kItems; ++n) {
      ranks[n] = (static_cast<int>(threadIdx.x) * kItems + n) * 7 % kTile;
    }
    Block(storage).ScatterToBlocked(items, ranks);
  }
};

struct Neighbours {
  using Difference = cub::BlockAdjacentDifference<uint32_t, kThreads>;
  using Heads = cub::BlockDiscontinuity<uint32_t, kThreads>;
  using Shuffle = cub::BlockShuffle<uint32_t, kThreads>;
  union Storage {
    Difference::TempStorage difference;
    Heads::TempStorage heads;
    Shuffle::TempStorage shuffle;
  };
  __device__ void operator()(Storage& storage, uint32_t (&items)[kItems]) {
    int flags[kItems];
    for (uint32_t& item : items) item %= 4;
    Heads(storage.heads).FlagHeads(flags, items, cuda::std::not_equal_to<>());
    __syncthreads();
    uint32_t before[kItems];
    Shuffle(storage.shuffle).Up(items, before);
    if (threadIdx.x == 0) before[0] = 9;
    __syncthreads();
    Difference(storage.difference).SubtractLeft(items, items, cuda::std::minus<>());
    for (int n = 0; n < kItems; ++n) {
      items[n] = items[n] * 100 + static_cast<uint32_t>(flags[n]) * 10 + before[n];
    }
  }
};

struct Histogram {
  using Block = cub::BlockHistogram<uint8_t, kThreads, kItems, 256, cub::BLOCK_HISTO_SORT>;
  struct Storage {
    Block::TempStorage block;
    unsigned counts[256];
  };
  __device__ void operator()(Storage& storage, uint8_t (&items)[kItems]) {
    Block(storage.block).Histogram(items, storage.counts);
    __syncthreads();
    for (int n = 0; n < kItems; ++n) {
      items[n] = static_cast<uint8_t>(
          storage.counts[(threadIdx.x * kItems + static_cast<unsigned>(n)) % 256]);
    }
  }
};

// Of each warp by itself.
struct Warps {
  using WarpScan = cub::WarpScan<uint32_t>;
  using WarpReduce = cub::WarpReduce<uint32_t, 16>;
  using WarpSort = cub::WarpMergeSort<uint32_t, kItems, 32>;
  union Part {
    WarpScan::TempStorage scan;
    WarpReduce::TempStorage reduce[2];
    WarpSort::TempStorage sort;
  };
  struct Storage {
    Part parts[kThreads / 32];
  };
  __device__ void operator()(Storage& storage, uint32_t (&items)[kItems]) {
    Part& part = storage.parts[threadIdx.x / 32];
    WarpSort(part.sort).Sort(items, cuda::std::less<>());
    __syncwarp();
    uint32_t sum, all;
    WarpScan(part.scan).InclusiveSum(items[0], sum, all);
    __syncwarp();
    const uint32_t largest =
        WarpReduce(part.reduce[threadIdx.x / 16 % 2]).Reduce(items[1], cuda::maximum<>());
    items[2] += sum + all;
    if (threadIdx.x % 16 == 0) items[3] ^= largest;
  }
};

}  // namespace

CASE(load_direct) {
  exact(run<uint32_t, Nothing, cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_DIRECT>());
}
CASE(load_striped) {
  exact(run<uint64_t, Nothing, cub::BLOCK_LOAD_STRIPED, cub::BLOCK_STORE_TRANSPOSE>());
}
CASE(load_warp_transpose) {
  exact(run<uint8_t, Nothing, cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_STRIPED>());
}
CASE(scan_raking) { exact(run<uint32_t, Scan<uint32_t, cub::BLOCK_SCAN_RAKING>>()); }
CASE(scan_warps) { exact(run<uint64_t, Scan<uint64_t, cub::BLOCK_SCAN_WARP_SCANS>>()); }
CASE(reduce_raking) { exact(run<uint32_t, Reduce<uint32_t, cub::BLOCK_REDUCE_RAKING>>()); }
CASE(reduce_warps) { exact(run<uint64_t, Reduce<uint64_t, cub::BLOCK_REDUCE_WARP_REDUCTIONS>>()); }
CASE(radix_sort_u32) { exact(run<uint32_t, RadixSort<uint32_t>>()); }
CASE(radix_sort_f64) { exact(run<double, RadixSort<double>>(kAll)); }
CASE(merge_sort) { exact(run<uint32_t, MergeSort<uint32_t>>()); }
CASE(exchange) { exact(run<uint32_t, Exchange<uint32_t>>()); }
CASE(neighbours) { exact(run<uint32_t, Neighbours>()); }
CASE(histogram) { exact(run<uint8_t, Histogram>(kAll)); }
CASE(warps) { exact(run<uint32_t, Warps>()); }

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
