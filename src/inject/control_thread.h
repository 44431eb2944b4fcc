// The thread that takes a snapshot of every instance at an interval, does what the service asks
// (requests.h) and notices that the service is gone. It runs from the first instance on.
#pragma once

#include <pthread.h>

#include <atomic>

namespace egpu::inject {

class ControlThread {
 public:
  // Once; later calls do nothing. Called under the lock of Instances.
  void start();
  // False: it did not end in time (it may be inside the driver). True where it never ran.
  bool stop();
  // After fork(), in the child, where the thread does not exist.
  void abandon_in_child() { thread_ = {}; }

 private:
  static void* run(void* self);
  void loop();

  bool started_ = false;
  std::atomic<int> wake_{-1};  // eventfd
  pthread_t thread_{};
};

}  // namespace egpu::inject
