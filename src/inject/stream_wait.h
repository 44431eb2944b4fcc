// Waits for work on a stream of the library's own, never longer than a bound.
#pragma once

#include <algorithm>
#include <ctime>

#include "inject/deadline.h"
#include "inject/session.h"

namespace egpu::inject {

// kNotReady: the bound passed.
inline cuda::Status wait_for_stream(cuda::Stream stream, int milliseconds) {
  const Deadline deadline(milliseconds);
  timespec pause{.tv_sec = 0, .tv_nsec = 10'000};
  while (true) {
    const cuda::Status status = session.driver.stream_query(stream);
    if (status != cuda::kNotReady || deadline.left_ms() == 0) return status;
    ::nanosleep(&pause, nullptr);
    pause.tv_nsec = std::min(pause.tv_nsec * 2, 1'000'000L);
  }
}

}  // namespace egpu::inject
