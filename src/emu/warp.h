// State of running code: warps, blocks and the launch they belong to.
//
// Lanes of a warp that are at the same instruction of the same call run together, as the active
// group; others wait in their own groups until they are scheduled or reached (emu/schedule.cc).
// Operations other than control flow see the active group alone: `registers` is its frame's
// register file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/fault.h"
#include "emu/launch.h"
#include "emu/memory.h"
#include "emu/op.h"

namespace egpu::emu {

struct Code;   // of one function (emu/code.h)
struct Frame;  // of one call (emu/frame.h)
struct Block;

// Windows of generic addresses. No memory of the process can lie there: the addresses are not
// canonical on x86-64.
inline constexpr std::uint64_t kSharedWindow = 0x0100'0000'0000'0000;
inline constexpr std::uint64_t kLocalWindow = 0x0200'0000'0000'0000;
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32;

// A .shared address: an offset in the block's own shared memory, or, from mapa, (rank + 1) << 24
// and an offset in that of another block of its cluster.
inline constexpr unsigned kSharedRankShift = 24;

struct Warp {
  // Of the active group.
  std::byte* registers = nullptr;
  Mask active = 0;
  std::uint32_t pc = 0;  // index of the next Op
  Frame* frame = nullptr;

  Block* block = nullptr;
  std::uint32_t index = 0;  // in the block: %warpid; its first thread is index * kLanes
  Mask present = 0;         // lanes that have a thread at all
  Mask exited = 0;
  // False: the scheduler is to look again, because the group waits, ended, faulted or had its turn.
  bool running = false;

  // The range that the last access to global memory fell into.
  Range cached;
  std::uint64_t cached_generation = 0;

  // Ends the launch. `lane` names the thread.
  void fault(FaultKind kind, unsigned lane, std::string detail = {});
};

struct Launch {
  const Kernel& kernel;
  const Memory& memory;
  const DeviceShape& device;
  const LaunchConfig& config;
};

struct Block {
  Launch* launch = nullptr;
  Dim3 id{};                   // %ctaid
  std::byte* shared = nullptr;  // static shared memory first, dynamic behind it
  std::uint32_t shared_bytes = 0;
  std::byte* local = nullptr;  // local_bytes for each thread, in order of thread
  std::uint64_t local_bytes = 0;
  std::uint32_t multiprocessor = 0;  // %smid
  std::uint32_t cluster_rank = 0;    // of the block in its cluster
  std::vector<Block*> cluster;       // by rank; this block alone without clusters
};

}  // namespace egpu::emu
