#include "codegen/host_module.h"

#include <llvm/Support/TargetSelect.h>

#include <cstring>

#include "codegen/emit.h"

namespace egpu::codegen {
namespace {

// X86 alone, without the macros that would ask for every target LLVM was built with.
void initialize_backend() {
  static const bool initialized = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    return true;
  }();
  static_cast<void>(initialized);
}

Error llvm_error(llvm::Error error) {
  return internal_error("LLVM's JIT: " + llvm::toString(std::move(error)));
}

llvm::orc::ExecutorSymbolDef definition(const void* address) {
  return {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
}

// What `symbols` names, and what LLVM may call on its own.
Result<void> define(llvm::orc::LLJIT& jit, std::span<const HostSymbol> symbols) {
  llvm::orc::SymbolMap map;
  for (const HostSymbol& symbol : symbols)
    map[jit.mangleAndIntern(symbol.name)] = definition(symbol.address);
  map[jit.mangleAndIntern("memset")] = definition(reinterpret_cast<const void*>(&std::memset));
  map[jit.mangleAndIntern("memcpy")] = definition(reinterpret_cast<const void*>(&std::memcpy));
  map[jit.mangleAndIntern("memmove")] = definition(reinterpret_cast<const void*>(&std::memmove));
  if (auto error = jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(map))))
    return llvm_error(std::move(error));
  return {};
}

}  // namespace

Result<void*> MachineCode::find(const std::string& name) const {
  auto entry = jit_->lookup(name);
  if (!entry) return llvm_error(entry.takeError());
  return entry->toPtr<void*>();
}

HostModule::HostModule(Optimization optimization, llvm::orc::JITTargetMachineBuilder builder,
                       std::unique_ptr<llvm::TargetMachine> machine)
    : optimization_(optimization),
      builder_(std::move(builder)),
      machine_(std::move(machine)),
      context_(std::make_unique<llvm::LLVMContext>()),
      diagnostics_(*context_),
      module_(std::make_unique<llvm::Module>("egpu", *context_)) {
  module_->setTargetTriple(machine_->getTargetTriple());
  module_->setDataLayout(machine_->createDataLayout());
}

Result<std::unique_ptr<HostModule>> HostModule::create(Optimization optimization) {
  initialize_backend();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder) return llvm_error(builder.takeError());
  builder->setCodeGenOptLevel(optimization == Optimization::kFull
                                  ? llvm::CodeGenOptLevel::Aggressive
                                  : llvm::CodeGenOptLevel::None);
  auto machine = builder->createTargetMachine();
  if (!machine) return llvm_error(machine.takeError());
  return std::unique_ptr<HostModule>(
      new HostModule(optimization, std::move(*builder), std::move(*machine)));
}

Result<std::pair<std::unique_ptr<MachineCode>, std::vector<void*>>> HostModule::compile(
    std::span<const std::string> names, std::span<const HostSymbol> symbols) {
  EGPU_TRY(verify(*module_));
  if (optimization_ == Optimization::kFull) optimize(*module_, *machine_);

  // No platform: programs have neither initialisers nor thread-local data.
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(builder_)
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .create();
  if (!jit) return llvm_error(jit.takeError());
  EGPU_TRY(define(**jit, symbols));
  if (auto error = (*jit)->addIRModule({std::move(module_), std::move(context_)}))
    return llvm_error(std::move(error));
  auto code = std::make_unique<MachineCode>(std::move(*jit));
  std::vector<void*> functions;
  for (const std::string& name : names) {
    EGPU_ASSIGN(functions.emplace_back(), code->find(name));
  }
  EGPU_TRY(diagnostics_.first_error());
  return std::pair{std::move(code), std::move(functions)};
}

}  // namespace egpu::codegen
