#include "inject/lifetime.h"

#include <pthread.h>

#include <cstdlib>

#include "inject/report.h"
#include "inject/session.h"

namespace egpu::inject {
namespace {

// Registered while the driver initialises, so it runs before handlers that were registered earlier
// and tear the CUDA runtime down.
void at_exit() {
  // Launches by later exit handlers run the original: the final snapshot stays the last.
  const bool was_active = session.active.exchange(false);
  const bool stopped = session.control.stop();
  if (!session.connection.alive()) return;
  if (was_active && !stopped)
    report("maps cannot be read at the end: the control thread is held up in the driver");
  else if (was_active)
    session.instances.snapshot_all(/*final=*/true);
  abi::Goodbye goodbye;
  session.connection.tell(goodbye);
}

void in_child() {
  session.active = false;
  session.control.abandon_in_child();
  session.requests.abandon_in_child();
  session.connection.abandon_in_child();
}

}  // namespace

bool register_lifetime_handlers() {
  return std::atexit(at_exit) == 0 && ::pthread_atfork(nullptr, nullptr, in_child) == 0;
}

}  // namespace egpu::inject
