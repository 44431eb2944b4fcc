// Contexts and the stack of current ones that each thread has.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <vector>

#include "emu/driver/state.h"
#include "emu/driver/streams.h"

namespace egpu::emu::driver {

// Never freed, as handles of destroyed contexts are still asked for. Guarded by Driver::mutex but
// for constants and atomics.
class Context {
 public:
  Context(Device& of, bool is_primary, unsigned context_flags);

  Device& device;
  const bool primary;
  const std::uint64_t id;

  std::atomic<bool> alive = false;
  // The first error of a kernel: from then on every call gives it and nothing runs any more.
  std::atomic<Status> sticky = cuda::kSuccess;

  unsigned flags;
  unsigned retained = 0;  // of a primary context
  std::map<cuda::Limit, std::size_t> limits;
  int cache_config = 0;
  int shared_config = 0;

  StreamPointer legacy;
  std::map<std::uint64_t, StreamPointer> per_thread;  // by the thread's own number
  std::set<Stream*> streams;                          // all of them
  std::vector<TaskPointer> orphans;                   // last tasks of destroyed streams
  std::set<Context*> peers;                           // contexts whose memory this one may access
  std::set<Device*> shown_to;  // other devices that may access this one's memory

  // Begins with fresh state: a new context, or the primary one after a reset.
  void revive();
  // Kernels of the context are to end.
  void fail(Status status);
  std::stop_token stop_token();

 private:
  std::stop_source stop_;
};

// The current context of this thread, if it can be used; the sticky error where it has one.
Status current_context(Context*& context);
// The same without regard to the sticky error.
Status current_context_any(Context*& context);
// A context by its handle, alive; kInvalidContext or kContextIsDestroyed otherwise. Null: the
// current.
Status find_context(cuda::Context handle, Context*& context);
cuda::Context handle_of(const Context& context);

// Those that are alive.
std::vector<Context*> all_contexts();
// Each device's, not alive yet.
void make_primary_contexts();

}  // namespace egpu::emu::driver
