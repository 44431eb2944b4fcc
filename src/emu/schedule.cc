#include "emu/schedule.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <random>

#include "emu/control.h"
#include "emu/execute.h"
#include "emu/kernel.h"
#include "emu/layout.h"

namespace egpu::emu {
namespace {

constexpr std::int64_t kWarpTurn = 1 << 12;   // Ops of a warp before the next one runs
constexpr std::uint64_t kUnitTurn = 1 << 16;  // of a unit before another one runs
constexpr std::uint64_t kShuffledTurn = 64;   // at most, where LaunchConfig::schedule_seed is set
constexpr std::uint64_t kThreadsOfMultiprocessor = 2048;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kStagger = 192;  // keeps threads' stacks out of each other's cache sets

// Local memory of a block's threads: pages come when they are written, and stay for the next block.
class LocalMemory {
 public:
  explicit LocalMemory(std::uint64_t bytes) : bytes_(round_up(bytes, kPage)) {
    void* const pages = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages != MAP_FAILED) first_ = static_cast<std::byte*>(pages);
  }
  ~LocalMemory() {
    if (first_ != nullptr) munmap(first_, bytes_);
  }
  LocalMemory(const LocalMemory&) = delete;
  LocalMemory& operator=(const LocalMemory&) = delete;

  std::byte* first() const { return first_; }

 private:
  std::uint64_t bytes_;
  std::byte* first_ = nullptr;
};

std::uint64_t product(const Dim3& extent) {
  return std::uint64_t{extent[0]} * extent[1] * extent[2];
}

Dim3 unflatten(std::uint64_t index, const Dim3& extent) {
  return {static_cast<std::uint32_t>(index % extent[0]),
          static_cast<std::uint32_t>(index / extent[0] % extent[1]),
          static_cast<std::uint32_t>(index / extent[0] / extent[1])};
}

bool uses_reserved_shared(const Kernel& kernel) {
  const auto is_reserved = [](const SpecialSlot& slot) {
    return slot.special->name.starts_with("%reserved_smem");
  };
  return std::ranges::any_of(kernel.functions, [&](const auto& code) {
    return std::ranges::any_of(code->specials, is_reserved);
  });
}

std::uint64_t shared_bytes(const Launch& launch) {
  const std::uint64_t bytes =
      launch.kernel.info.static_shared_bytes + launch.config.dynamic_shared_bytes;
  return uses_reserved_shared(launch.kernel) ? round_up(bytes, 16) + kReservedSharedBytes : bytes;
}

// A block and the memory it needs.
struct Resident {
  Resident(Launch& launch, FramePool& frames, RangeCache& ranges)
      : shared(shared_bytes(launch)),
        local_bytes(round_up(launch.kernel.code().local_bytes + launch.config.stack_bytes, 16) +
                    kStagger),
        local(local_bytes * product(launch.config.block)) {
    block.launch = &launch;
    block.frames = &frames;
    block.ranges = &ranges;
    block.shared = shared.data();
    block.shared_bytes = static_cast<std::uint32_t>(shared.size());
    block.local = local.first();
    block.local_bytes = local_bytes;
  }

  std::vector<std::byte> shared;
  std::uint64_t local_bytes;
  LocalMemory local;
  Block block;
};

// The blocks of a cluster, or a single one.
class Unit {
 public:
  Unit(Launch& launch, FramePool& frames, RangeCache& ranges, std::minstd_rand& random)
      : launch_(launch), random_(random) {
    const std::uint64_t blocks = product(launch.config.cluster);
    for (std::uint64_t i = 0; i < blocks; ++i)
      residents_.push_back(std::make_unique<Resident>(launch, frames, ranges));
    for (const auto& resident : residents_)
      for (const auto& other : residents_) resident->block.cluster.push_back(&other->block);
  }

  void start(std::uint64_t number) {
    const Dim3& grid = launch_.config.grid;
    const Dim3& cluster = launch_.config.cluster;
    const Dim3 units{grid[0] / cluster[0], grid[1] / cluster[1], grid[2] / cluster[2]};
    const Dim3 unit = unflatten(number, units);
    for (std::size_t rank = 0; rank < residents_.size(); ++rank) {
      Block& block = residents_[rank]->block;
      const Dim3 inside = unflatten(rank, cluster);
      for (std::size_t axis = 0; axis < inside.size(); ++axis)
        block.id[axis] = unit[axis] * cluster[axis] + inside[axis];
      block.cluster_rank = static_cast<std::uint32_t>(rank);
      block.multiprocessor = static_cast<std::uint32_t>((number * residents_.size() + rank) %
                                                        launch_.device.multiprocessors);
      std::ranges::fill(residents_[rank]->shared, std::byte{0});
      start_block(block);
    }
  }

  bool has_memory() const {
    return std::ranges::all_of(
        residents_, [](const auto& resident) { return resident->local.first() != nullptr; });
  }

  // Runs for a turn. True: all threads have ended. Not meaningful once the launch ended.
  bool run() { return launch_.config.schedule_seed != 0 ? run_shuffled() : run_in_order(); }

 private:
  bool run_in_order() {
    const std::uint64_t end = spent() + kUnitTurn;
    while (spent() < end) {
      bool some_ran = false;
      bool some_live = false;
      for (const auto& resident : residents_) {
        for (Warp& warp : resident->block.warps) {
          if (warp.live() == 0) continue;
          some_ran = run_warp(warp, kWarpTurn) || some_ran;
          if (launch_.ended.load(std::memory_order_relaxed)) return false;
          some_live = some_live || warp.live() != 0;
        }
        check_budget(resident->block);
      }
      if (!some_live) return true;
      if (!some_ran) {
        end_with_deadlock();
        return false;
      }
    }
    return false;
  }

  // The same warp goes on more often than not: others must find it at any place, but it must also
  // get far between two steps of theirs.
  bool run_shuffled() {
    const std::uint64_t end = spent() + 1 + random_() % kShuffledTurn;
    while (spent() < end) {
      const std::vector<Warp*> live = live_warps();
      if (live.empty()) return true;
      const std::size_t first = random_() % 4 == 0 ? random_() : last_;
      bool some_ran = false;
      for (std::size_t i = 0; i < live.size() && !some_ran; ++i) {
        last_ = (first + i) % live.size();
        const auto ops = static_cast<std::int64_t>(1 + random_() % (1 + random_() % kShuffledTurn));
        some_ran = step_warp(*live[last_], ops, random_());
      }
      if (launch_.ended.load(std::memory_order_relaxed)) return false;
      if (!some_ran) {
        end_with_deadlock();
        return false;
      }
      for (const auto& resident : residents_) check_budget(resident->block);
    }
    return false;
  }

  std::vector<Warp*> live_warps() {
    std::vector<Warp*> live;
    for (const auto& resident : residents_)
      for (Warp& warp : resident->block.warps)
        if (warp.live() != 0) live.push_back(&warp);
    return live;
  }

  std::uint64_t spent() const {
    return std::accumulate(
        residents_.begin(), residents_.end(), std::uint64_t{0},
        [](std::uint64_t sum, const auto& resident) { return sum + resident->block.spent; });
  }

  static Warp* first_live(Block& block) {
    const auto found =
        std::ranges::find_if(block.warps, [](const Warp& warp) { return warp.live() != 0; });
    return found == block.warps.end() ? nullptr : &*found;
  }

  // The fault is where a group waits, at the Op before its next one, or would go on.
  static void end_at_next(Warp& warp, FaultKind kind, std::string detail) {
    if (warp.active != 0) {
      while (warp.next->handler == reach_label) ++warp.next;
      ++warp.next;
    } else if (warp.group_count != 0) {
      const Group& group = warp.groups[0];
      warp.frame = group.frame;
      warp.active = group.lanes;
      const bool to_execute =
          group.wait == Group::Wait::kForLanes || group.wait == Group::Wait::kNothing;
      warp.next = group.next + (to_execute ? 1 : 0);
    }
    warp.fault(kind, static_cast<unsigned>(std::countr_zero(warp.active)), std::move(detail));
  }

  void check_budget(Block& block) const {
    const std::uint64_t budget = launch_.config.budget;
    if (budget == 0 || block.spent <= budget) return;
    Warp* const warp = first_live(block);
    if (warp != nullptr) end_at_next(*warp, FaultKind::kTimeout, "the budget is spent");
  }

  void end_with_deadlock() {
    for (const auto& resident : residents_)
      if (Warp* const warp = first_live(resident->block); warp != nullptr)
        return end_at_next(*warp, FaultKind::kDeadlock,
                           "the thread waits for others that never come");
  }

  Launch& launch_;
  std::minstd_rand& random_;
  std::size_t last_ = 0;  // the live warp that had the last turn of run_shuffled()
  std::vector<std::unique_ptr<Resident>> residents_;
};

// What one host thread runs.
class Worker {
 public:
  Worker(Launch& launch, Units& units)
      : launch_(launch),
        units_(units),
        ranges_(launch.memory),
        random_(static_cast<std::uint32_t>(launch.config.schedule_seed)),
        resident_(launch.device.multiprocessors * kThreadsOfMultiprocessor /
                  (product(launch.config.block) * product(launch.config.cluster))) {}

  void run() {
    std::uint64_t to_start = launch_.config.cooperative ? units_.share() : 1;
    while (!launch_.ended.load(std::memory_order_relaxed)) {
      for (; to_start != 0 && start_one(); --to_start) continue;
      if (running_.empty()) return;
      to_start = run_all();
    }
  }

 private:
  bool start_one() {
    std::uint64_t number = 0;
    if (!units_.take(number)) return false;
    if (idle_.empty()) idle_.push_back(std::make_unique<Unit>(launch_, frames_, ranges_, random_));
    if (!idle_.back()->has_memory()) {
      launch_.end_with({.kind = FaultKind::kStackOverflow,
                        .kernel = launch_.kernel.info.name,
                        .detail = "the host has no memory for the stacks of a block"});
      return false;
    }
    running_.push_back(std::move(idle_.back()));
    idle_.pop_back();
    running_.back()->start(number);
    return true;
  }

  // Gives each unit a turn. Returns how many are to be started: those that still run may wait for
  // others. As many as a device has at a time come soon, for they may wait for each other; beyond
  // that few, for memory is dear.
  std::uint64_t run_all() {
    std::uint64_t ended = 0;
    for (auto& unit : running_) {
      if (launch_.ended.load(std::memory_order_relaxed)) return 0;
      if (!unit->run()) continue;
      idle_.push_back(std::move(unit));
      ++ended;
    }
    std::erase(running_, nullptr);
    const std::uint64_t more = running_.size() < resident_ ? running_.size() : 1;
    return std::max(ended, more);
  }

  Launch& launch_;
  Units& units_;
  FramePool frames_;
  RangeCache ranges_;
  std::minstd_rand random_;
  const std::uint64_t resident_;  // units that a device runs at a time
  std::vector<std::unique_ptr<Unit>> running_;
  std::vector<std::unique_ptr<Unit>> idle_;
};

}  // namespace

bool Units::take(std::uint64_t& unit) {
  unit = next_.fetch_add(1, std::memory_order_relaxed);
  return unit < count_;
}

void run_units(Launch& launch, Units& units) { Worker(launch, units).run(); }

}  // namespace egpu::emu
