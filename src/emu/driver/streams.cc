#include "emu/driver/streams.h"

#include <algorithm>
#include <atomic>

#include "emu/driver/capture.h"
#include "emu/driver/contexts.h"
#include "emu/driver/default_stream.h"
#include "emu/driver/device_limits.h"
#include "emu/driver/events.h"
#include "emu/driver/functions.h"
#include "emu/driver/handles.h"

namespace egpu::emu::driver {
namespace {

constexpr std::uintptr_t kLegacyHandle = 1;     // CU_STREAM_LEGACY
constexpr std::uintptr_t kPerThreadHandle = 2;  // CU_STREAM_PER_THREAD

Handles<cuda::Stream, Stream>& streams() {
  static auto* const instance = new Handles<cuda::Stream, Stream>;
  return *instance;
}

std::uint64_t next_stream_id() {
  static std::atomic<std::uint64_t> next{1};
  return next++;
}

StreamPointer default_stream(Context& context, std::uintptr_t handle) {
  const bool per_thread = handle == kPerThreadHandle || (handle == 0 && per_thread_default_stream);
  const std::lock_guard lock(driver().mutex);
  if (!per_thread) return context.legacy;
  StreamPointer& stream = context.per_thread[this_thread()];
  if (stream == nullptr) {
    stream = std::make_shared<Stream>(context, 0, 0);
    context.streams.insert(stream.get());
  }
  return stream;
}

Status usable(const Stream& stream) {
  return stream.context.alive ? stream.context.sticky.load() : cuda::kContextIsDestroyed;
}

// What goes into the stream must come after these: what is in it, and in the order of the legacy
// stream what is in the others.
std::vector<TaskPointer> tasks_before(const Stream& stream) {
  std::vector<TaskPointer> before{stream.last};
  Context& context = stream.context;
  if (&stream == context.legacy.get()) {
    for (const Stream* other : context.streams)
      if (other->blocking() && !is_done(other->last)) before.push_back(other->last);
  } else if (stream.blocking()) {
    before.push_back(context.legacy->last);
  }
  return before;
}

}  // namespace

Stream::Stream(Context& of, unsigned stream_flags, int stream_priority)
    : context(of), flags(stream_flags), id(next_stream_id()), priority(stream_priority) {}

cuda::Stream handle_of(const StreamPointer& stream) {
  if (stream == stream->context.legacy)
    return reinterpret_cast<cuda::Stream>(kLegacyHandle);  // NOLINT(performance-no-int-to-ptr)
  return Handles<cuda::Stream, Stream>::of(stream.get());
}

Status find_stream(cuda::Stream handle, StreamPointer& stream) {
  EGPU_STATUS(check_driver());
  if (reinterpret_cast<std::uintptr_t>(handle) <= cuda::kLastSpecialStream) {
    Context* context = nullptr;
    EGPU_STATUS(current_context(context));
    stream = default_stream(*context, reinterpret_cast<std::uintptr_t>(handle));
    return cuda::kSuccess;
  }
  stream = streams().find(handle);
  return stream != nullptr ? usable(*stream) : cuda::kInvalidHandle;
}

TaskPointer submit_behind(Stream& stream, std::function<void()> work,
                          std::vector<TaskPointer> also_after) {
  std::vector<TaskPointer> before = tasks_before(stream);
  before.insert(before.end(), also_after.begin(), also_after.end());
  stream.last = submit(std::move(work), before);
  return stream.last;
}

Status enqueue(const StreamPointer& stream, Operation operation, TaskPointer* task) {
  const std::lock_guard lock(driver().mutex);
  if (stream->capture != nullptr) {
    if (task != nullptr) return refuse_in_capture(*stream);
    return capture_operation(*stream, std::move(operation));
  }
  EGPU_STATUS(check_implicit_capture(*stream));
  Context& context = stream->context;
  auto shared = std::make_shared<const Operation>(std::move(operation));
  const TaskPointer submitted =
      submit_behind(*stream, [shared, &context] { perform(*shared, context); });
  if (task != nullptr) *task = submitted;
  return cuda::kSuccess;
}

Status enqueue_and_wait(const StreamPointer& stream, Operation operation) {
  TaskPointer task;
  EGPU_STATUS(enqueue(stream, std::move(operation), &task));
  wait(task);
  return stream->context.sticky;
}

std::vector<TaskPointer> last_tasks(Context& context) {
  std::vector<TaskPointer> tasks;
  for (const Stream* stream : context.streams)
    if (!is_done(stream->last)) tasks.push_back(stream->last);
  std::erase_if(context.orphans, [](const TaskPointer& task) { return is_done(task); });
  tasks.insert(tasks.end(), context.orphans.begin(), context.orphans.end());
  return tasks;
}

void wait_for_all(Context& context) {
  std::vector<TaskPointer> tasks;
  {
    const std::lock_guard lock(driver().mutex);
    tasks = last_tasks(context);
  }
  for (const TaskPointer& task : tasks) wait(task);
}

void drop_streams(Context& context) {
  const auto of_context = [&](const auto& object) { return &object.context == &context; };
  const auto dropped = streams().remove_if(of_context);
  drop_events(context);
  const std::lock_guard lock(driver().mutex);
  for (Stream* stream : context.streams) end_capture_of(*stream);
  context.streams.clear();
  context.per_thread.clear();
  context.orphans.clear();
}

Status ctx_synchronize() { return ctx_synchronize_v2(nullptr); }

Status ctx_synchronize_v2(cuda::Context handle) {
  Context* context = nullptr;
  EGPU_STATUS(find_context(handle, context));
  EGPU_STATUS(context->sticky.load());
  EGPU_STATUS(check_unsafe_in_capture());
  wait_for_all(*context);
  return context->sticky;
}

Status stream_create(cuda::Stream* handle, unsigned flags) {
  return stream_create_with_priority(handle, flags, 0);
}

Status stream_create_with_priority(cuda::Stream* handle, unsigned flags, int priority) {
  Context* context = nullptr;
  EGPU_STATUS(current_context(context));
  if (handle == nullptr || flags > cuda::kStreamNonBlocking) return cuda::kInvalidValue;
  const auto stream =
      std::make_shared<Stream>(*context, flags, std::clamp(priority, kGreatestStreamPriority, 0));
  {
    const std::lock_guard lock(driver().mutex);
    context->streams.insert(stream.get());
  }
  *handle = streams().add(stream);
  return cuda::kSuccess;
}

// What is in the stream still runs.
Status stream_destroy(cuda::Stream handle) {
  EGPU_STATUS(check_driver());
  const StreamPointer stream = streams().remove(handle);
  if (stream == nullptr) return cuda::kInvalidHandle;
  const std::lock_guard lock(driver().mutex);
  end_capture_of(*stream);
  Context& context = stream->context;
  context.streams.erase(stream.get());
  std::erase_if(context.orphans, [](const TaskPointer& task) { return is_done(task); });
  if (!is_done(stream->last)) context.orphans.push_back(stream->last);
  return cuda::kSuccess;
}

Status stream_query(cuda::Stream handle) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  {
    const std::lock_guard lock(driver().mutex);
    if (stream->capture != nullptr) return refuse_in_capture(*stream);
    EGPU_STATUS(check_implicit_capture(*stream));
    for (const TaskPointer& task : tasks_before(*stream))
      if (!is_done(task)) return cuda::kNotReady;
  }
  return stream->context.sticky;
}

Status stream_synchronize(cuda::Stream handle) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  std::vector<TaskPointer> tasks;
  {
    const std::lock_guard lock(driver().mutex);
    if (stream->capture != nullptr) return refuse_in_capture(*stream);
    EGPU_STATUS(check_implicit_capture(*stream));
    tasks = tasks_before(*stream);
  }
  for (const TaskPointer& task : tasks) wait(task);
  return stream->context.sticky;
}

Status launch_host_func(cuda::Stream handle, cuda::HostFunction function, void* data) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  if (function == nullptr) return cuda::kInvalidValue;
  return enqueue(stream, HostCall{.function = function, .data = data});
}

Status stream_add_callback(cuda::Stream handle, cuda::StreamCallback callback, void* data,
                           unsigned flags) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  if (callback == nullptr || flags != 0) return cuda::kInvalidValue;
  TaskPointer task;  // asked for, as a callback cannot be captured
  return enqueue(stream, CallbackCall{.callback = callback, .stream = handle, .data = data}, &task);
}

}  // namespace egpu::emu::driver
