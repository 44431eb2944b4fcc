// Capture of streams into graphs: calls that would enqueue work make nodes instead.
//
// Everything here but check_unsafe_in_capture() wants Driver::mutex held.
#pragma once

#include <memory>
#include <set>

#include "emu/driver/operations.h"
#include "emu/driver/state.h"

namespace egpu::emu::driver {

struct Stream;
struct Graph;

struct Capture {
  std::uint64_t id = 0;
  std::shared_ptr<Graph> graph;
  Stream* origin = nullptr;
  cuda::CaptureMode mode = cuda::kCaptureGlobal;
  std::uint64_t thread = 0;  // that began it
  cuda::CaptureStatus status = cuda::kCaptureActive;
  std::set<Stream*> streams;  // the origin, and those that joined by waiting for events
};

// Whether an event's capture still goes on.
bool is_active(const std::shared_ptr<Capture>& capture);

// Makes a node behind the stream's last ones.
Status capture_operation(Stream& stream, Operation operation);
// That the stream's capture was not invalidated.
Status check_capture(const Stream& stream);
Status join_capture(Stream& stream, std::shared_ptr<Capture> capture);
void invalidate(Capture& capture);

// For calls that no captured stream allows: invalidates the capture.
Status refuse_in_capture(Stream& stream);
// For uses of the legacy stream: captured streams that are ordered with it forbid them.
Status check_implicit_capture(Stream& stream);
// For calls that may synchronise: allowed where no capture forbids them to this thread.
Status check_unsafe_in_capture();

// The stream goes away.
void end_capture_of(Stream& stream);

}  // namespace egpu::emu::driver
