// The observed program as our child.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace egpu::cli {

struct ProcessEnd {
  int code = 0;    // where it exited
  int signal = 0;  // where a signal ended it; else 0
};

// Signals for us go on to the child, so that it decides how to end. Make one before any other
// thread exists: threads inherit that these signals are blocked.
class SignalForwarding {
 public:
  SignalForwarding();
  ~SignalForwarding();
  SignalForwarding(const SignalForwarding&) = delete;
  SignalForwarding& operator=(const SignalForwarding&) = delete;

  // Waits for the end of `child`, passing signals on. What the terminal sends to all of its
  // foreground processes the child already has.
  [[nodiscard]] ProcessEnd wait(pid_t child) const;
};

// Starts `command` (searched on PATH) with this environment ("NAME=value") and no signal blocked.
// Call within the life of a SignalForwarding.
Result<pid_t> start_process(const std::vector<std::string>& command,
                            const std::vector<std::string>& environment);

// Our environment with `settings` ("NAME=value") in place of variables of the same name.
std::vector<std::string> environment_with(const std::vector<std::string>& settings);

// `variables` with `settings` in place of those of the same name.
std::vector<std::string> environment_with(const std::vector<std::string>& settings,
                                          const std::vector<std::string>& variables);

}  // namespace egpu::cli
