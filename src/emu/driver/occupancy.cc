// Occupancy, as CUDA's best practices guide and occupancy calculator describe it for compute
// capability 9.0: registers are given to warps in units of 256, warps in units of four.
#include "emu/driver/occupancy.h"

#include <algorithm>

#include "emu/driver/contexts.h"
#include "emu/driver/device_limits.h"
#include "emu/driver/functions.h"
#include "emu/driver/launches.h"

namespace egpu::emu::driver {
namespace {

constexpr unsigned kRegisterUnit = 256;
constexpr unsigned kWarpUnit = 4;
constexpr unsigned kSharedUnit = 128;

template <class T>
T round_up(T value, T multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

unsigned warps_by_registers(const Function& function) {
  const unsigned registers = std::max(1U, function.info.registers);
  const unsigned per_warp = round_up(registers * kWarpLanes, kRegisterUnit);
  return kRegistersPerMultiprocessor / per_warp / kWarpUnit * kWarpUnit;
}

std::uint64_t shared_bytes(const Function& function, std::uint64_t dynamic) {
  return round_up<std::uint64_t>(function.info.static_shared_bytes + dynamic + kSharedReserved,
                                 kSharedUnit);
}

}  // namespace

unsigned max_block_threads(const Function& function) {
  unsigned threads = std::min(kMaxBlockThreads, warps_by_registers(function) * kWarpLanes);
  if (function.info.max_threads != 0) threads = std::min(threads, function.info.max_threads);
  return threads;
}

std::uint64_t max_dynamic_shared(const Function& function) {
  const int set = function.settings->max_dynamic_shared;
  if (set >= 0) return static_cast<std::uint64_t>(set);
  const std::uint64_t fixed = function.info.static_shared_bytes;
  return fixed < kSharedPerBlock ? kSharedPerBlock - fixed : 0;
}

unsigned active_blocks(const Function& function, unsigned threads, std::uint64_t dynamic_shared) {
  if (threads > max_block_threads(function)) return 0;
  const unsigned warps = (threads + kWarpLanes - 1) / kWarpLanes;
  const std::uint64_t by_shared = kSharedPerMultiprocessor / shared_bytes(function, dynamic_shared);
  const unsigned blocks =
      std::min({kMaxMultiprocessorBlocks, kMaxMultiprocessorThreads / (warps * kWarpLanes),
                warps_by_registers(function) / warps});
  return static_cast<unsigned>(std::min<std::uint64_t>(blocks, by_shared));
}

Status occupancy_max_active_blocks_per_multiprocessor(int* blocks, cuda::Function handle,
                                                      int threads, std::size_t dynamic_shared) {
  FunctionPointer function;
  EGPU_STATUS(find_function(handle, function));
  if (blocks == nullptr || threads <= 0) return cuda::kInvalidValue;
  const bool fits = dynamic_shared <= max_dynamic_shared(*function);
  *blocks = fits ? static_cast<int>(
                       active_blocks(*function, static_cast<unsigned>(threads), dynamic_shared))
                 : 0;
  return cuda::kSuccess;
}

Status occupancy_max_active_blocks_per_multiprocessor_with_flags(
    int* blocks, cuda::Function function, int threads, std::size_t dynamic_shared, unsigned flags) {
  if (flags > 1) return cuda::kInvalidValue;
  return occupancy_max_active_blocks_per_multiprocessor(blocks, function, threads, dynamic_shared);
}

// The largest block among those with which a multiprocessor holds the most threads.
Status occupancy_max_potential_block_size(int* grid, int* block, cuda::Function handle,
                                          cuda::BlockSizeToShared shared_of,
                                          std::size_t dynamic_shared, int limit) {
  FunctionPointer function;
  EGPU_STATUS(find_function(handle, function));
  if (grid == nullptr || block == nullptr || limit < 0) return cuda::kInvalidValue;
  const unsigned most = max_block_threads(*function);
  const unsigned largest = limit == 0 ? most : std::min(most, static_cast<unsigned>(limit));
  unsigned best_threads = 0;
  unsigned best_blocks = 0;
  for (unsigned threads = largest; threads > 0; threads = (threads - 1) / kWarpLanes * kWarpLanes) {
    const std::uint64_t shared =
        shared_of != nullptr ? shared_of(static_cast<int>(threads)) : dynamic_shared;
    if (shared > max_dynamic_shared(*function)) continue;
    const unsigned blocks = active_blocks(*function, threads, shared);
    if (blocks * threads <= best_blocks * best_threads) continue;
    best_threads = threads;
    best_blocks = blocks;
  }
  *block = static_cast<int>(best_threads);
  *grid = static_cast<int>(best_blocks * kMultiprocessors);
  return cuda::kSuccess;
}

Status occupancy_max_potential_block_size_with_flags(int* grid, int* block, cuda::Function function,
                                                     cuda::BlockSizeToShared shared_of,
                                                     std::size_t dynamic_shared, int limit,
                                                     unsigned flags) {
  if (flags > 1) return cuda::kInvalidValue;
  return occupancy_max_potential_block_size(grid, block, function, shared_of, dynamic_shared,
                                            limit);
}

Status occupancy_available_dynamic_smem_per_block(std::size_t* bytes, cuda::Function handle,
                                                  int blocks, int threads) {
  FunctionPointer function;
  EGPU_STATUS(find_function(handle, function));
  if (bytes == nullptr || blocks <= 0 || threads <= 0) return cuda::kInvalidValue;
  const std::uint64_t each = std::uint64_t{kSharedPerMultiprocessor} /
                             static_cast<unsigned>(blocks) / kSharedUnit * kSharedUnit;
  const std::uint64_t taken = function->info.static_shared_bytes + kSharedReserved;
  const std::uint64_t left = each > taken ? each - taken : 0;
  *bytes = std::min(left, max_dynamic_shared(*function));
  return cuda::kSuccess;
}

Status occupancy_max_potential_cluster_size(int* blocks, cuda::Function handle,
                                            const cuda::LaunchConfig* config) {
  FunctionPointer function;
  EGPU_STATUS(find_function(handle, function));
  if (blocks == nullptr || config == nullptr) return cuda::kInvalidValue;
  *blocks = function->settings->non_portable_cluster != 0 ? kMaxNonPortableClusterBlocks
                                                          : kMaxClusterBlocks;
  return cuda::kSuccess;
}

Status occupancy_max_active_clusters(int* clusters, cuda::Function handle,
                                     const cuda::LaunchConfig* config) {
  FunctionPointer function;
  EGPU_STATUS(find_function(handle, function));
  if (clusters == nullptr || config == nullptr) return cuda::kInvalidValue;
  LaunchAttributes attributes;
  EGPU_STATUS(read_attributes(*config, attributes));
  const emu::Dim3 cluster = cluster_of(*function, attributes);
  const unsigned size = cluster[0] * cluster[1] * cluster[2];
  if (size == 0) return cuda::kInvalidClusterSize;
  const unsigned threads = config->block_x * config->block_y * config->block_z;
  if (threads == 0) return cuda::kInvalidValue;
  const unsigned resident =
      active_blocks(*function, threads, config->shared_bytes) * kMultiprocessors;
  *clusters = static_cast<int>(resident / size);
  return cuda::kSuccess;
}

}  // namespace egpu::emu::driver
