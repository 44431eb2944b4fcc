// Work that may crash or never end, in a child process, so that it is an Error and not our end.
#pragma once

#include <chrono>
#include <functional>

#include "base/result.h"
#include "cli/command.h"

namespace egpu::cli {

// Runs `body` in a child process. What it changes is lost with the child, but for its result.
// `crashed` says what it means that a signal ended the child. Call it from a process with one
// thread; the child may start more.
Result<Outcome> run_in_child(const std::function<Result<Outcome>()>& body,
                             std::chrono::milliseconds limit,
                             const std::function<Error(int signal)>& crashed);

// What is said where time is over.
Error too_long(std::chrono::milliseconds limit);

}  // namespace egpu::cli
