#include "emu/special_registers.h"

#include <x86intrin.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "emu/kernel.h"
#include "emu/lanes.h"

namespace egpu::emu {
namespace {

constexpr std::uint64_t kWarpsOfMultiprocessor = 64;  // of all architectures since sm_90
constexpr std::uint64_t kNanoseconds = 1'000'000'000;

const LaunchConfig& config(const Warp& warp) { return warp.block->launch->config; }

template <int kAxis>
std::uint64_t thread_index(const Warp& warp, unsigned lane) {
  const Dim3& block = config(warp).block;
  const std::uint32_t thread = warp.index * kLanes + lane;
  if constexpr (kAxis == 0) return thread % block[0];
  if constexpr (kAxis == 1) return thread / block[0] % block[1];
  return thread / block[0] / block[1];
}

template <int kAxis>
constexpr auto kThreadCount =
    [](const Warp& warp, unsigned) -> std::uint64_t { return config(warp).block[kAxis]; };
template <int kAxis>
constexpr auto kBlockIndex =
    [](const Warp& warp, unsigned) -> std::uint64_t { return warp.block->id[kAxis]; };
template <int kAxis>
constexpr auto kBlockCount =
    [](const Warp& warp, unsigned) -> std::uint64_t { return config(warp).grid[kAxis]; };
template <int kAxis>
constexpr auto kClusterIndex = [](const Warp& warp, unsigned) -> std::uint64_t {
  return warp.block->id[kAxis] / config(warp).cluster[kAxis];
};
template <int kAxis>
constexpr auto kClusterCount = [](const Warp& warp, unsigned) -> std::uint64_t {
  return config(warp).grid[kAxis] / config(warp).cluster[kAxis];
};
template <int kAxis>
constexpr auto kIndexInCluster = [](const Warp& warp, unsigned) -> std::uint64_t {
  return warp.block->id[kAxis] % config(warp).cluster[kAxis];
};
template <int kAxis>
constexpr auto kBlocksOfCluster =
    [](const Warp& warp, unsigned) -> std::uint64_t { return config(warp).cluster[kAxis]; };

std::uint64_t cycles(const Warp&, unsigned) { return __rdtsc(); }

std::uint64_t nanoseconds(const Warp&, unsigned) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kNanoseconds +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t dynamic_shared(const Warp& warp, unsigned) {
  return config(warp).dynamic_shared_bytes;
}

std::uint64_t workspace(const Warp& warp, unsigned) { return warp.block->launch->workspace; }

// The last bytes of a block's shared memory, where a kernel asks for their place.
std::uint64_t reserved_shared(const Warp& warp, unsigned) {
  return warp.block->shared_bytes - kReservedSharedBytes;
}

template <auto kRead>
std::uint64_t high_half(const Warp& warp, unsigned lane) {
  return kRead(warp, lane) >> 32;
}

constexpr auto kSpecialRegisters = std::to_array<SpecialRegister>({
    {"%tid.x", 32, false, thread_index<0>},
    {"%tid.y", 32, false, thread_index<1>},
    {"%tid.z", 32, false, thread_index<2>},
    {"%ntid.x", 32, false, kThreadCount<0>},
    {"%ntid.y", 32, false, kThreadCount<1>},
    {"%ntid.z", 32, false, kThreadCount<2>},
    {"%ctaid.x", 32, false, kBlockIndex<0>},
    {"%ctaid.y", 32, false, kBlockIndex<1>},
    {"%ctaid.z", 32, false, kBlockIndex<2>},
    {"%nctaid.x", 32, false, kBlockCount<0>},
    {"%nctaid.y", 32, false, kBlockCount<1>},
    {"%nctaid.z", 32, false, kBlockCount<2>},
    {"%clusterid.x", 32, false, kClusterIndex<0>},
    {"%clusterid.y", 32, false, kClusterIndex<1>},
    {"%clusterid.z", 32, false, kClusterIndex<2>},
    {"%nclusterid.x", 32, false, kClusterCount<0>},
    {"%nclusterid.y", 32, false, kClusterCount<1>},
    {"%nclusterid.z", 32, false, kClusterCount<2>},
    {"%cluster_ctaid.x", 32, false, kIndexInCluster<0>},
    {"%cluster_ctaid.y", 32, false, kIndexInCluster<1>},
    {"%cluster_ctaid.z", 32, false, kIndexInCluster<2>},
    {"%cluster_nctaid.x", 32, false, kBlocksOfCluster<0>},
    {"%cluster_nctaid.y", 32, false, kBlocksOfCluster<1>},
    {"%cluster_nctaid.z", 32, false, kBlocksOfCluster<2>},
    {"%cluster_ctarank", 32, false,
     [](const Warp& warp, unsigned) -> std::uint64_t { return warp.block->cluster_rank; }},
    {"%cluster_nctarank", 32, false,
     [](const Warp& warp, unsigned) -> std::uint64_t { return warp.block->cluster.size(); }},
    {"%is_explicit_cluster", 1, false,
     [](const Warp& warp, unsigned) -> std::uint64_t { return warp.block->cluster.size() > 1; }},
    {"%laneid", 32, false, [](const Warp&, unsigned lane) -> std::uint64_t { return lane; }},
    {"%lanemask_eq", 32, false,
     [](const Warp&, unsigned lane) { return std::uint64_t{1} << lane; }},
    {"%lanemask_lt", 32, false,
     [](const Warp&, unsigned lane) { return (std::uint64_t{1} << lane) - 1; }},
    {"%lanemask_le", 32, false,
     [](const Warp&, unsigned lane) { return (std::uint64_t{2} << lane) - 1; }},
    {"%lanemask_gt", 32, false,
     [](const Warp&, unsigned lane) { return ~((std::uint64_t{2} << lane) - 1); }},
    {"%lanemask_ge", 32, false,
     [](const Warp&, unsigned lane) { return ~((std::uint64_t{1} << lane) - 1); }},
    {"%warpid", 32, false,
     [](const Warp& warp, unsigned) -> std::uint64_t { return warp.index; }},
    {"%nwarpid", 32, false, [](const Warp&, unsigned) { return kWarpsOfMultiprocessor; }},
    {"%smid", 32, false,
     [](const Warp& warp, unsigned) -> std::uint64_t { return warp.block->multiprocessor; }},
    {"%nsmid", 32, false,
     [](const Warp& warp, unsigned) -> std::uint64_t {
       return warp.block->launch->device.multiprocessors;
     }},
    {"%gridid", 64, false,
     [](const Warp& warp, unsigned) -> std::uint64_t { return config(warp).grid_id; }},
    {"%envreg1", 32, false, high_half<workspace>},
    {"%envreg2", 32, false, workspace},
    {"%reserved_smem_offset_begin", 32, false, reserved_shared},
    {"%reserved_smem_offset_1", 32, false, reserved_shared},
    {"%reserved_smem_offset_end", 32, false,
     [](const Warp& warp, unsigned lane) {
       return reserved_shared(warp, lane) + kReservedSharedBytes;
     }},
    {"%reserved_smem_offset_cap", 32, false,
     [](const Warp&, unsigned) -> std::uint64_t { return kReservedSharedBytes; }},
    {"%dynamic_smem_size", 32, false, dynamic_shared},
    {"%total_smem_size", 32, false,
     [](const Warp& warp, unsigned lane) {
       return warp.block->launch->kernel.info.static_shared_bytes + dynamic_shared(warp, lane);
     }},
    {"%clock", 32, true, cycles},
    {"%clock_hi", 32, true, high_half<cycles>},
    {"%clock64", 64, true, cycles},
    {"%globaltimer", 64, true, nanoseconds},
    {"%globaltimer_lo", 32, true, nanoseconds},
    {"%globaltimer_hi", 32, true, high_half<nanoseconds>},
});

template <class T>
void fill(const SpecialRegister& special, Warp& warp, Slot slot, Mask lanes) {
  set_lanes<T>(warp, slot, lanes,
               [&](unsigned lane) { return static_cast<T>(special.value(warp, lane)); });
}

}  // namespace

const SpecialRegister* find_special_register(std::string_view name) {
  const auto* const found = std::ranges::find(kSpecialRegisters, name, &SpecialRegister::name);
  return found == kSpecialRegisters.end() ? nullptr : found;
}

void read_special_register(const SpecialRegister& special, Warp& warp, Slot slot, unsigned bits,
                           Mask lanes) {
  switch (bits) {
    case 1:
      set_predicate(warp, slot, lanes,
                    [&](unsigned lane) { return special.value(warp, lane) != 0; });
      break;
    case 16:
      fill<std::uint16_t>(special, warp, slot, lanes);
      break;
    case 32:
      fill<std::uint32_t>(special, warp, slot, lanes);
      break;
    default:
      fill<std::uint64_t>(special, warp, slot, lanes);
  }
}

}  // namespace egpu::emu
