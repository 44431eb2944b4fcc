// Waits for work on a stream of the library's own, never longer than a bound.
#pragma once

#include <poll.h>

#include "inject/deadline.h"
#include "inject/session.h"

namespace egpu::inject {

// kNotReady: the bound passed.
inline cuda::Status wait_for_stream(cuda::Stream stream, int milliseconds) {
  const Deadline deadline(milliseconds);
  while (true) {
    const cuda::Status status = session.driver.stream_query(stream);
    if (status != cuda::kNotReady || deadline.left_ms() == 0) return status;
    ::poll(nullptr, 0, 1);
  }
}

}  // namespace egpu::inject
