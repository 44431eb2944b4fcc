// The work of all streams: a graph of tasks that worker threads carry out, each as soon as those it
// depends on are done.
//
// Threads are made as they are needed, for kernels may wait for each other and host functions for
// anything: a ready task never waits for a running one, up to kMaxWorkers of them. They are never
// joined: the process may end while a kernel runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace egpu::emu::driver {

// As many kernels as an H200 runs at a time.
inline constexpr unsigned kMaxWorkers = 128;

struct Task {
  std::function<void()> work;  // empty: done when what it depends on is
  std::atomic<bool> done = false;
  std::atomic<std::uint64_t> finished_at = 0;  // monotonic_ns(), once done

  // The scheduler's.
  unsigned pending = 0;  // tasks it still waits for
  std::vector<std::shared_ptr<Task>> dependents;
};
using TaskPointer = std::shared_ptr<Task>;

// Null pointers in `after` are done. Thread-safe, as all of these are.
TaskPointer submit(std::function<void()> work, std::span<const TaskPointer> after);
inline bool is_done(const TaskPointer& task) { return task == nullptr || task->done; }
void wait(const TaskPointer& task);

}  // namespace egpu::emu::driver
