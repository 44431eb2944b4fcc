// Events.
#pragma once

#include <memory>
#include <vector>

#include "cuda/driver_structs.h"
#include "emu/driver/tasks.h"

namespace egpu::emu::driver {

class Context;
struct Capture;
struct Node;

// Guarded by Driver::mutex, but for what is constant.
struct Event {
  Event(Context& of, unsigned event_flags) : context(of), flags(event_flags) {}

  Context& context;
  const unsigned flags;
  TaskPointer task;  // of the last record; null: none yet

  // Where that was in a stream that is captured: the nodes before it.
  std::shared_ptr<Capture> capture;
  std::vector<Node*> nodes;
};
using EventPointer = std::shared_ptr<Event>;

cuda::Status find_event(cuda::Event handle, EventPointer& event);
cuda::Event handle_of(const EventPointer& event);
void drop_events(Context& context);

}  // namespace egpu::emu::driver
