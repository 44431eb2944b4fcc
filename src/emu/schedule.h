// Runs the blocks of a launch.
//
// A block runs until it ends or its turn is over: it may wait for another, so others then get their
// turn, and one more is started. Thus every block runs at some time, and few exist at a time where
// none waits. Blocks of a cluster are started and run together, as a unit. Their memory is used
// again for the next unit.
#pragma once

#include <atomic>
#include <cstdint>

#include "emu/warp.h"

namespace egpu::emu {

// Numbers of units that no worker has started. Thread-safe.
class Units {
 public:
  Units(std::uint64_t count, std::uint64_t workers) : count_(count), workers_(workers) {}

  // False: all are started.
  bool take(std::uint64_t& unit);

  // What each worker starts of a cooperative launch, which has all units at once.
  std::uint64_t share() const { return (count_ + workers_ - 1) / workers_; }

 private:
  const std::uint64_t count_;
  const std::uint64_t workers_;
  std::atomic<std::uint64_t> next_{0};
};

// Runs units until all are done or the launch ended. Several threads may do so at a time.
void run_units(Launch& launch, Units& units);

}  // namespace egpu::emu
