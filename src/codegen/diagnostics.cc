#include "codegen/diagnostics.h"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

namespace egpu::codegen {

Diagnostics::Diagnostics(llvm::LLVMContext& context) {
  context.setDiagnosticHandlerCallBack(&Diagnostics::record, this);
}

Result<void> Diagnostics::first_error() const {
  if (error_) return internal_error("LLVM: " + *error_);
  return {};
}

void Diagnostics::record(const llvm::DiagnosticInfo* info, void* self) {
  auto& error = static_cast<Diagnostics*>(self)->error_;
  if (info->getSeverity() != llvm::DS_Error || error) return;
  llvm::raw_string_ostream stream(error.emplace());
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info->print(printer);
}

}  // namespace egpu::codegen
