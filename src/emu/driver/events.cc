#include "emu/driver/events.h"

#include <algorithm>

#include "emu/driver/capture.h"
#include "emu/driver/contexts.h"
#include "emu/driver/functions.h"
#include "emu/driver/handles.h"
#include "emu/driver/streams.h"

namespace egpu::emu::driver {
namespace {

Handles<cuda::Event, Event>& events() {
  static auto* const instance = new Handles<cuda::Event, Event>;
  return *instance;
}

// The stream goes on where both it and what the event recorded are.
void join(Stream& stream, const Event& event) {
  for (Node* node : event.nodes)
    if (std::ranges::find(stream.tail, node) == stream.tail.end()) stream.tail.push_back(node);
}

// A wait for an event that a capture recorded brings the stream into that capture.
Status wait_in_capture(Stream& stream, const Event& event) {
  if (stream.capture == nullptr) {
    if (&stream == stream.context.legacy.get()) return cuda::kStreamCaptureImplicit;
    EGPU_STATUS(join_capture(stream, event.capture));
  } else if (stream.capture != event.capture) {
    invalidate(*stream.capture);
    invalidate(*event.capture);
    return cuda::kStreamCaptureMerge;
  }
  join(stream, event);
  return cuda::kSuccess;
}

}  // namespace

Status find_event(cuda::Event handle, EventPointer& event) {
  EGPU_STATUS(check_driver());
  event = events().find(handle);
  if (event == nullptr) return cuda::kInvalidHandle;
  return event->context.alive ? event->context.sticky.load() : cuda::kContextIsDestroyed;
}

cuda::Event handle_of(const EventPointer& event) {
  return Handles<cuda::Event, Event>::of(event.get());
}

void drop_events(Context& context) {
  events().remove_if([&](const Event& event) { return &event.context == &context; });
}

Status event_create(cuda::Event* handle, unsigned flags) {
  Context* context = nullptr;
  EGPU_STATUS(current_context(context));
  constexpr unsigned kKnown = cuda::kEventBlockingSync | cuda::kEventDisableTiming;
  if (handle == nullptr || (flags & ~(kKnown | cuda::kEventInterprocess)) != 0)
    return cuda::kInvalidValue;
  if ((flags & cuda::kEventInterprocess) != 0) return cuda::kNotSupported;
  *handle = events().add(std::make_shared<Event>(*context, flags));
  return cuda::kSuccess;
}

Status event_destroy(cuda::Event handle) {
  EGPU_STATUS(check_driver());
  return events().remove(handle) != nullptr ? cuda::kSuccess : cuda::kInvalidHandle;
}

Status event_record(cuda::Event handle, cuda::Stream stream) {
  return event_record_with_flags(handle, stream, 0);
}

Status event_record_with_flags(cuda::Event handle, cuda::Stream stream_handle, unsigned flags) {
  EventPointer event;
  StreamPointer stream;
  EGPU_STATUS(find_event(handle, event));
  EGPU_STATUS(find_stream(stream_handle, stream));
  if (flags > cuda::kEventExternal) return cuda::kInvalidValue;
  if (&event->context != &stream->context) return cuda::kInvalidHandle;
  const std::lock_guard lock(driver().mutex);
  if (stream->capture != nullptr) {
    if (flags == cuda::kEventExternal)
      return capture_operation(*stream, EventRecord{.event = event});
    EGPU_STATUS(check_capture(*stream));
    event->capture = stream->capture;
    event->nodes = stream->tail;
    return cuda::kSuccess;
  }
  EGPU_STATUS(check_implicit_capture(*stream));
  event->capture = nullptr;
  event->nodes.clear();
  event->task = submit_behind(*stream, nullptr);
  return cuda::kSuccess;
}

Status stream_wait_event(cuda::Stream stream_handle, cuda::Event handle, unsigned flags) {
  EventPointer event;
  StreamPointer stream;
  EGPU_STATUS(find_stream(stream_handle, stream));
  EGPU_STATUS(find_event(handle, event));
  if (flags > cuda::kEventExternal) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  if (flags == cuda::kEventExternal && stream->capture != nullptr)
    return capture_operation(*stream, EventWait{.event = event});
  if (is_active(event->capture)) return wait_in_capture(*stream, *event);
  if (stream->capture != nullptr) {
    EGPU_STATUS(check_capture(*stream));
    invalidate(*stream->capture);
    return cuda::kStreamCaptureIsolation;
  }
  EGPU_STATUS(check_implicit_capture(*stream));
  submit_behind(*stream, nullptr, {event->task});
  return cuda::kSuccess;
}

Status event_query(cuda::Event handle) {
  EventPointer event;
  EGPU_STATUS(find_event(handle, event));
  EGPU_STATUS(check_unsafe_in_capture());
  const std::lock_guard lock(driver().mutex);
  if (is_active(event->capture)) {
    invalidate(*event->capture);
    return cuda::kCapturedEvent;
  }
  if (!is_done(event->task)) return cuda::kNotReady;
  return event->context.sticky;
}

Status event_synchronize(cuda::Event handle) {
  EventPointer event;
  EGPU_STATUS(find_event(handle, event));
  EGPU_STATUS(check_unsafe_in_capture());
  TaskPointer task;
  {
    const std::lock_guard lock(driver().mutex);
    if (is_active(event->capture)) {
      invalidate(*event->capture);
      return cuda::kCapturedEvent;
    }
    task = event->task;
  }
  wait(task);
  return event->context.sticky;
}

Status event_elapsed_time(float* milliseconds, cuda::Event start_handle, cuda::Event end_handle) {
  EventPointer start;
  EventPointer end;
  EGPU_STATUS(find_event(start_handle, start));
  EGPU_STATUS(find_event(end_handle, end));
  if (milliseconds == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  for (const EventPointer& event : {start, end}) {
    if ((event->flags & cuda::kEventDisableTiming) != 0 || event->task == nullptr)
      return cuda::kInvalidHandle;
  }
  if (!is_done(start->task) || !is_done(end->task)) return cuda::kNotReady;
  const auto nanoseconds =
      static_cast<std::int64_t>(end->task->finished_at - start->task->finished_at);
  *milliseconds = static_cast<float>(static_cast<double>(nanoseconds) * 1e-6);
  return cuda::kSuccess;
}

}  // namespace egpu::emu::driver
