// An LLVM module for this machine, and the code that ORC makes of it.
#pragma once

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "codegen/diagnostics.h"
#include "codegen/optimization.h"

namespace egpu::codegen {

// Lives as long as its functions may run.
class MachineCode {
 public:
  explicit MachineCode(std::unique_ptr<llvm::orc::LLJIT> jit) : jit_(std::move(jit)) {}

  // A function of the module with external linkage. The first look-up generates the code.
  Result<void*> find(const std::string& name) const;

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

// A function of this program that generated code may call.
struct HostSymbol {
  const char* name;
  const void* address;
};

class HostModule {
 public:
  static Result<std::unique_ptr<HostModule>> create(Optimization optimization);

  llvm::Module& module() { return *module_; }

  // Verifies and optimises; the module is gone afterwards. Gives the code of the functions `names`,
  // in their order, with its owner.
  Result<std::pair<std::unique_ptr<MachineCode>, std::vector<void*>>> compile(
      std::span<const std::string> names, std::span<const HostSymbol> symbols = {});

 private:
  HostModule(Optimization optimization, llvm::orc::JITTargetMachineBuilder builder,
             std::unique_ptr<llvm::TargetMachine> machine);

  Optimization optimization_;
  llvm::orc::JITTargetMachineBuilder builder_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  std::unique_ptr<llvm::LLVMContext> context_;
  Diagnostics diagnostics_;
  std::unique_ptr<llvm::Module> module_;
};

}  // namespace egpu::codegen
