// Streams, and how work gets into them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emu/driver/operations.h"
#include "emu/driver/tasks.h"

namespace egpu::emu::driver {

class Context;
struct Capture;
struct Node;

// Guarded by Driver::mutex, but for what is constant.
struct Stream {
  Stream(Context& of, unsigned stream_flags, int stream_priority);

  Context& context;
  const unsigned flags;
  const std::uint64_t id;
  int priority;
  int synchronization_policy = 1;  // CU_SYNC_POLICY_AUTO
  TaskPointer last;                // null: nothing was ever submitted

  // While it is captured: what the next node depends on.
  std::shared_ptr<Capture> capture;
  std::vector<Node*> tail;

  // Ordered with the legacy stream.
  bool blocking() const { return (flags & cuda::kStreamNonBlocking) == 0; }
};
using StreamPointer = std::shared_ptr<Stream>;

// The stream that a handle means in the current thread's call.
Status find_stream(cuda::Stream handle, StreamPointer& stream);
cuda::Stream handle_of(const StreamPointer& stream);

// Puts the operation behind everything before it in the stream, or into the graph that the stream
// is being captured into. `task`: where the caller wants to wait for it; not with captures, which
// refuse that.
Status enqueue(const StreamPointer& stream, Operation operation, TaskPointer* task = nullptr);

// Enqueues, waits, and gives what went wrong in the context so far.
Status enqueue_and_wait(const StreamPointer& stream, Operation operation);

// A task behind everything in the stream; Driver::mutex is held.
TaskPointer submit_behind(Stream& stream, std::function<void()> work,
                          std::vector<TaskPointer> also_after = {});

// The last task of each of the context's streams; Driver::mutex is held.
std::vector<TaskPointer> last_tasks(Context& context);
// Until the context has nothing to do of what was submitted before.
void wait_for_all(Context& context);

// Ends the context's streams and events.
void drop_streams(Context& context);

}  // namespace egpu::emu::driver
