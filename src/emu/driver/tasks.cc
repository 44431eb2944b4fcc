#include "emu/driver/tasks.h"

#include <pthread.h>

#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>

#include "base/clock.h"

namespace egpu::emu::driver {
namespace {

class Scheduler {
 public:
  TaskPointer submit(std::function<void()> work, std::span<const TaskPointer> after);
  void wait(const TaskPointer& task);

 private:
  static void* run_worker(void* scheduler);
  void work();
  void run_next(std::unique_lock<std::mutex>& lock);
  // Marks the task done, and with it those without work that only waited for it; what became ready
  // goes into the queue.
  void complete(TaskPointer task);
  // Sees to it that somebody takes what is in the queue.
  void wake();
  bool start_worker();

  std::mutex mutex_;
  std::condition_variable ready_;     // for workers
  std::condition_variable finished_;  // for wait()
  std::deque<TaskPointer> queue_;
  unsigned workers_ = 0;
  unsigned idle_ = 0;
  unsigned waiting_ = 0;  // threads in wait()
};

TaskPointer Scheduler::submit(std::function<void()> work, std::span<const TaskPointer> after) {
  auto task = std::make_shared<Task>();
  task->work = std::move(work);
  const std::lock_guard lock(mutex_);
  for (const TaskPointer& before : after) {
    if (is_done(before)) continue;
    before->dependents.push_back(task);
    ++task->pending;
  }
  if (task->pending > 0) return task;
  if (!task->work) {
    complete(task);
    return task;
  }
  queue_.push_back(task);
  wake();
  return task;
}

void Scheduler::complete(TaskPointer task) {
  std::vector<TaskPointer> completed{std::move(task)};
  while (!completed.empty()) {
    const TaskPointer current = std::move(completed.back());
    completed.pop_back();
    current->finished_at = monotonic_ns();
    current->done = true;
    for (TaskPointer& dependent : current->dependents) {
      if (--dependent->pending > 0) continue;
      if (dependent->work)
        queue_.push_back(std::move(dependent));
      else
        completed.push_back(std::move(dependent));
    }
    current->dependents.clear();
  }
  if (waiting_ > 0) finished_.notify_all();
}

void Scheduler::wake() {
  if (queue_.size() <= idle_) {
    ready_.notify_one();
    return;
  }
  if (workers_ < kMaxWorkers && start_worker()) return;
  ready_.notify_one();
}

bool Scheduler::start_worker() {
  // Signals are the application's: its handlers run in its own threads.
  sigset_t all;
  sigset_t previous;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &previous);
  pthread_t thread;
  const bool started = ::pthread_create(&thread, nullptr, run_worker, this) == 0;
  ::pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  if (!started) return false;
  ::pthread_detach(thread);
  ++workers_;
  return true;
}

void* Scheduler::run_worker(void* scheduler) {
  ::pthread_setname_np(::pthread_self(), "egpu-emulator");
  static_cast<Scheduler*>(scheduler)->work();
  return nullptr;
}

void Scheduler::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    while (queue_.empty()) {
      ++idle_;
      ready_.wait(lock);
      --idle_;
    }
    run_next(lock);
    // One of what became ready is this thread's own next task.
    for (std::size_t i = 1; i < queue_.size(); ++i) wake();
  }
}

void Scheduler::run_next(std::unique_lock<std::mutex>& lock) {
  const TaskPointer task = std::move(queue_.front());
  queue_.pop_front();
  lock.unlock();
  task->work();
  task->work = nullptr;
  lock.lock();
  complete(task);
}

void Scheduler::wait(const TaskPointer& task) {
  std::unique_lock lock(mutex_);
  ++waiting_;
  while (!task->done) {
    // Where the system gives no thread at all, those that wait do the work.
    if (workers_ == 0 && !queue_.empty())
      run_next(lock);
    else
      finished_.wait(lock);
  }
  --waiting_;
}

Scheduler& scheduler() {
  static Scheduler* const instance = new Scheduler;
  return *instance;
}

}  // namespace

TaskPointer submit(std::function<void()> work, std::span<const TaskPointer> after) {
  return scheduler().submit(std::move(work), after);
}

void wait(const TaskPointer& task) {
  if (!is_done(task)) scheduler().wait(task);
}

}  // namespace egpu::emu::driver
