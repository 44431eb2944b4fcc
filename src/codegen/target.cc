#include "codegen/target.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Triple.h>

#include "device/device_runtime.h"

// NVPTX alone, without the macros that would ask for every target LLVM was built with.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace egpu::codegen {
namespace {

constexpr const char* kTriple = "nvptx64-nvidia-cuda";
constexpr const char* kProcessor = "sm_70";
constexpr const char* kFeatures = "+ptx63";

void initialize_backend() {
  static const bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  static_cast<void>(initialized);
}

// What clang was told about the processor would stop functions from being inlined into ours.
void forget_build_options(llvm::Module& module) {
  for (llvm::Function& function : module) {
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
  }
}

}  // namespace

Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine() {
  initialize_backend();
  const llvm::Triple triple(kTriple);
  std::string reason;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, reason);
  if (target == nullptr) return internal_error("LLVM has no NVPTX back end: " + reason);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, kProcessor, kFeatures, llvm::TargetOptions(),
                                  std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (machine == nullptr) return internal_error("LLVM made no NVPTX target machine");
  return machine;
}

Result<std::unique_ptr<llvm::Module>> load_device_runtime(llvm::LLVMContext& context,
                                                          const llvm::TargetMachine& machine) {
  const llvm::MemoryBufferRef bitcode(as_text(device::device_runtime_bitcode()), "device runtime");
  auto parsed = llvm::parseBitcodeFile(bitcode, context);
  if (!parsed) return internal_error("device runtime: " + llvm::toString(parsed.takeError()));
  std::unique_ptr<llvm::Module> module = std::move(*parsed);
  module->setModuleIdentifier("egpu");
  module->setSourceFileName("egpu");
  module->setTargetTriple(machine.getTargetTriple());
  module->setDataLayout(machine.createDataLayout());
  forget_build_options(*module);
  for (llvm::Function& function : *module) {
    if (function.isDeclaration()) continue;
    function.setVisibility(llvm::GlobalValue::DefaultVisibility);
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  return module;
}

}  // namespace egpu::codegen
