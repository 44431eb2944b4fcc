#include "codegen/crash_guard.h"

#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>

#include <string>

namespace egpu::codegen {
namespace {

thread_local std::string last_reason;

// Does not return on a thread that is inside run_guarded(); elsewhere LLVM goes on to end the
// process.
void leave_guarded_body(void*, const char* reason, bool) {
  auto* context = llvm::CrashRecoveryContext::GetCurrent();
  if (context == nullptr) return;
  last_reason = reason;
  context->HandleExit(1);
}

// For the life of the process: both are process-wide, and other threads may be inside
// run_guarded().
void install_handlers() {
  static const bool installed = [] {
    llvm::CrashRecoveryContext::Enable();
    llvm::install_fatal_error_handler(leave_guarded_body);
    return true;
  }();
  static_cast<void>(installed);
}

}  // namespace

Result<void> run_guarded(const std::function<void()>& body) {
  install_handlers();
  last_reason.clear();
  llvm::CrashRecoveryContext context;
  if (context.RunSafely(body)) return {};
  return internal_error("LLVM failed: " + (last_reason.empty() ? "it crashed" : last_reason));
}

}  // namespace egpu::codegen
