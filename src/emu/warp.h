// State of running code: warps, blocks and the launch they belong to.
//
// Lanes of a warp that are at the same Op of the same call run together, as the active group;
// others wait in groups of their own until they are scheduled or reached (emu/groups.h). Operations
// other than control flow see the active group alone: `registers` is its frame's register file.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "emu/fault.h"
#include "emu/frame.h"
#include "emu/launch.h"
#include "emu/memory.h"
#include "emu/op.h"
#include "emu/range_cache.h"

namespace egpu::emu {

struct Block;

// Windows of generic addresses. No memory of the process can lie there: the addresses are not
// canonical on x86-64.
inline constexpr std::uint64_t kSharedWindow = 0x0100'0000'0000'0000;
inline constexpr std::uint64_t kLocalWindow = 0x0200'0000'0000'0000;
// The launch's parameters: offsets in Launch::parameters.
inline constexpr std::uint64_t kParameterWindow = 0x0300'0000'0000'0000;
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32;

// A .shared address: an offset in the block's own shared memory, or, from mapa, (rank + 1) << 24
// and an offset in that of another block of its cluster.
inline constexpr unsigned kSharedRankShift = 24;

// Lanes of a warp that do not run now.
struct Group {
  Frame* frame = nullptr;
  const Op* next = nullptr;
  Mask lanes = 0;
  enum class Wait : std::uint8_t {
    kNothing,
    kForLanes,    // `members`, at `next`
    kForMeeting,  // `members`, wherever they are: bar.warp.sync
    kForBarrier,  // number `barrier` of the block
    kForCluster,  // the barrier of the block's cluster
  } wait = Wait::kNothing;
  std::uint8_t barrier = 0;
  Mask members = 0;
};

struct Warp {
  // Of the active group.
  std::byte* registers = nullptr;
  Mask active = 0;
  const Op* next = nullptr;  // behind the Op that is being executed
  Frame* frame = nullptr;
  // False: the scheduler is to look again, because the group waits, ended, faulted or had its turn.
  bool running = false;

  Block* block = nullptr;
  std::uint32_t index = 0;  // in the block: %warpid; its first thread is index * kLanes
  Mask present = 0;         // lanes that have a thread at all
  Mask exited = 0;
  Mask at_cluster_barrier = 0;       // lanes that arrived, before it is complete
  std::array<Group, kLanes> groups;  // all but the active one
  unsigned group_count = 0;
  Mask rested = 0;          // lanes that had their turn, while others wait for one
  std::int64_t turn = 0;    // Ops that the lanes which run now may still execute before others
  std::int64_t credit = 0;  // Ops before another warp is to run

  // Others are to run as soon as this loop jumps back.
  void yield();

  Mask live() const { return present & ~exited; }

  // Ends the launch. `lane` names the thread.
  void fault(FaultKind kind, unsigned lane, std::string detail = {});

  // For operations that take a membermask: waits until all of `members` that have not exited are
  // at `op`, the one that is being executed. Returns all lanes that are there with this mask and
  // now execute it, `lanes` among them; or none, where `lanes` have to wait: `op` is then executed
  // again when the last has come, and nothing is to be done for them now.
  Mask converge(const Op& op, Mask lanes, Mask members);
};

struct Launch {
  const Kernel& kernel;
  Memory& memory;
  const DeviceShape& device;
  const LaunchConfig& config;
  std::vector<std::byte> parameters;  // KernelInfo::parameter_bytes of them
  std::uint64_t workspace = 0;        // of a cooperative launch: memory for what its blocks share
  std::atomic<bool> ended = false;    // nobody is to go on
  std::mutex mutex = {};
  std::optional<Fault> fault = {};  // the first one

  void end_with(Fault reason);
};

// Number of barriers of a block (PTX ISA, "bar").
inline constexpr unsigned kBarriers = 16;

// Who arrived at a barrier that is not complete yet.
struct Barrier {
  std::vector<Mask> arrived;   // of each warp; empty: nobody
  std::uint32_t lanes = 0;     // all of them
  std::uint32_t expected = 0;  // threads, 0: all of the block
  // Of bar.red: lanes whose predicate holds.
  std::uint32_t holds = 0;
};

// Shared memory that the CUDA headers use on their own (cooperative groups of several warps), at
// the end of that of blocks whose kernel reads %reserved_smem_offset_1.
inline constexpr std::uint32_t kReservedSharedBytes = 1024;

struct Block {
  Launch* launch = nullptr;
  RangeCache* ranges = nullptr;  // of the host thread that runs the block
  Dim3 id{};                     // %ctaid
  std::byte* shared = nullptr;   // static shared memory first, dynamic behind it
  std::uint32_t shared_bytes = 0;
  std::byte* local = nullptr;  // local_bytes for each thread, in order of thread
  std::uint64_t local_bytes = 0;
  std::uint32_t multiprocessor = 0;  // %smid
  std::uint32_t cluster_rank = 0;    // of the block in its cluster
  std::vector<Block*> cluster;       // by rank; this block alone without clusters

  std::vector<Warp> warps;
  std::uint32_t live_threads = 0;
  std::array<Barrier, kBarriers> barriers;
  FramePool* frames = nullptr;
  std::uint64_t spent = 0;  // Ops, counted where code jumps back
};

}  // namespace egpu::emu
