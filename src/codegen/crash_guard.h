// LLVM ends the process where its back end cannot go on ("Cannot select"). A service must not go
// down with one program, so such an end becomes an Error.
//
// By LLVM's own means for programs that embed it: its fatal error handler and CrashRecoveryContext,
// which also catches SIGSEGV and the like on this thread while `body` runs. What `body` had
// allocated is then lost, and that is all: each generation has a context of its own.
#pragma once

#include <functional>

#include "base/result.h"

namespace egpu::codegen {

// Runs `body`. Thread-safe.
Result<void> run_guarded(const std::function<void()>& body);

}  // namespace egpu::codegen
