// What LLVM reports through its context, as an Error instead of text on stderr and exit().
#pragma once

#include <llvm/IR/LLVMContext.h>

#include <optional>
#include <string>

#include "base/result.h"

namespace llvm {
class DiagnosticInfo;
}

namespace egpu::codegen {

// Must not outlive the context it listens to.
class Diagnostics {
 public:
  explicit Diagnostics(llvm::LLVMContext& context);
  Diagnostics(const Diagnostics&) = delete;
  Diagnostics& operator=(const Diagnostics&) = delete;

  // The first error reported so far. Warnings and remarks are dropped.
  [[nodiscard]] Result<void> first_error() const;

 private:
  static void record(const llvm::DiagnosticInfo* info, void* self);

  std::optional<std::string> error_;
};

}  // namespace egpu::codegen
