#include "emu/driver/launch_limits.h"

#include <algorithm>
#include <functional>
#include <string>

#include "emu/driver/device_limits.h"
#include "emu/driver/occupancy.h"
#include "emu/driver/settings.h"

namespace egpu::emu::driver {
namespace {

std::uint64_t volume(const emu::Dim3& dim) { return std::uint64_t{dim[0]} * dim[1] * dim[2]; }

bool fits(const emu::Dim3& dim, const unsigned (&most)[3]) {
  return volume(dim) != 0 && std::ranges::equal(dim, most, std::less_equal());
}

template <class Dim>
std::string text(const Dim& dim) {
  return "(" + std::to_string(dim[0]) + "," + std::to_string(dim[1]) + "," +
         std::to_string(dim[2]) + ")";
}

Status refuse(const Function& function, Status status, const std::string& reason) {
  say(function.name + " is not launched: " + reason);
  return status;
}

Status check_grid(const Function& function, const emu::Dim3& grid) {
  if (fits(grid, kMaxGridDim)) return cuda::kSuccess;
  return refuse(function, cuda::kInvalidValue,
                "a grid of " + text(grid) + " blocks; from (1,1,1) to " + text(kMaxGridDim) +
                    " are possible");
}

Status check_threads(const Function& function, const emu::Dim3& block) {
  const std::uint64_t threads = volume(block);
  if (!fits(block, kMaxBlockDim) || threads > kMaxBlockThreads)
    return refuse(function, cuda::kInvalidValue,
                  "a block of " + text(block) + " threads; at most " + text(kMaxBlockDim) +
                      " are possible, " + std::to_string(kMaxBlockThreads) + " in all");
  const auto& required = function.info.required_threads;
  if (required[0] != 0 && !std::ranges::equal(block, required))
    return refuse(function, cuda::kInvalidValue,
                  "a block of " + text(block) + " threads; its code wants " + text(required));
  if (const unsigned most = max_block_threads(function); threads > most)
    return refuse(function, cuda::kLaunchOutOfResources,
                  "a block of " + std::to_string(threads) + " threads; its code allows " +
                      std::to_string(most));
  return cuda::kSuccess;
}

Status check_shared(const Function& function, std::uint64_t dynamic) {
  const std::uint64_t fixed = function.info.static_shared_bytes;
  const std::uint64_t most = max_dynamic_shared(function);
  if (dynamic <= most && fixed + dynamic <= kSharedPerBlockOptin) return cuda::kSuccess;
  return refuse(function, cuda::kInvalidValue,
                std::to_string(fixed) + " bytes of static and " + std::to_string(dynamic) +
                    " of dynamic shared memory; " + std::to_string(most) + " of dynamic and " +
                    std::to_string(kSharedPerBlockOptin) + " in all are possible");
}

Status check_cluster(const Function& function, const emu::Dim3& grid, const emu::Dim3& cluster) {
  const auto& in_code = function.info.cluster;
  if (in_code[0] != 0 && !std::ranges::equal(cluster, in_code))
    return refuse(function, cuda::kInvalidValue,
                  "clusters of " + text(cluster) + " blocks; its code wants " + text(in_code));
  const unsigned most = function.settings->non_portable_cluster != 0 ? kMaxNonPortableClusterBlocks
                                                                     : kMaxClusterBlocks;
  if (volume(cluster) == 0 || volume(cluster) > most)
    return refuse(function, cuda::kInvalidClusterSize,
                  "clusters of " + text(cluster) + " blocks; at most " + std::to_string(most) +
                      " are possible");
  for (unsigned i = 0; i < 3; ++i)
    if (grid[i] % cluster[i] != 0)
      return refuse(
          function, cuda::kInvalidValue,
          "a grid of " + text(grid) + " blocks is no multiple of clusters of " + text(cluster));
  return cuda::kSuccess;
}

Status check_residency(const Function& function, const emu::LaunchConfig& config) {
  if (!config.cooperative) return cuda::kSuccess;
  const std::uint64_t most =
      std::uint64_t{active_blocks(function, static_cast<unsigned>(volume(config.block)),
                                  config.dynamic_shared_bytes)} *
      kMultiprocessors;
  if (volume(config.grid) <= most) return cuda::kSuccess;
  return refuse(function, cuda::kCooperativeLaunchTooLarge,
                std::to_string(volume(config.grid)) +
                    " blocks of a cooperative launch; the device holds " + std::to_string(most) +
                    " at a time");
}

}  // namespace

Status check_limits(const Function& function, const emu::LaunchConfig& config) {
  EGPU_STATUS(check_grid(function, config.grid));
  EGPU_STATUS(check_threads(function, config.block));
  EGPU_STATUS(check_shared(function, config.dynamic_shared_bytes));
  EGPU_STATUS(check_cluster(function, config.grid, config.cluster));
  return check_residency(function, config);
}

}  // namespace egpu::emu::driver
