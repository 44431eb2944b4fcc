// The library's state in this process: the one global, because the driver calls hooks without a
// context. Constant-initialised; filled by InitializeInjection() before the first hook is placed.
#pragma once

#include <atomic>
#include <cstdint>

#include "abi/probe_table.h"
#include "abi/protocol.h"
#include "cuda/driver_table.h"
#include "inject/configuration.h"
#include "inject/connection.h"
#include "inject/control_thread.h"
#include "inject/instances.h"
#include "inject/modules.h"
#include "inject/requests.h"

namespace egpu::inject {

// Of this process, as it called itself when the library came in.
struct ProcessName {
  std::uint32_t id = 0;
  char command[abi::kCommandBytes] = {};  // comm, with zeros behind it
};

struct Session {
  // False before all hooks are placed, and for good once the service is gone, the program
  // exits, or in a forked child: every hook then only calls the original.
  std::atomic<bool> active{false};
  cuda::DriverTable driver;
  Configuration configuration;
  Connection connection;
  abi::HelloReply settings;
  ProcessName process;
  Modules modules;
  Instances instances;
  ControlThread control;
  Requests requests;  // of the control thread
};

extern constinit Session session;

inline bool active() { return session.active.load(std::memory_order_relaxed); }

}  // namespace egpu::inject
