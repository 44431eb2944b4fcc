#include "codegen/host_jit.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ThreadSafeModule.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/TargetSelect.h>

#include <utility>

#include "codegen/crash_guard.h"
#include "codegen/diagnostics.h"
#include "codegen/emit.h"
#include "codegen/host_platform.h"
#include "codegen/raw_program.h"

namespace egpu::codegen {

class HostProgram::Code {
 public:
  explicit Code(std::unique_ptr<llvm::orc::LLJIT> jit) : jit_(std::move(jit)) {}

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

namespace {

constexpr const char* kMainFunction = "egpu_program";

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

Result<HostProgram> compile(const bpf::DecodedProgram& program, const bpf::SlotPlace& place,
                            Optimization optimization) {
  initialize_backend();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder) return llvm_error(builder.takeError());
  builder->setCodeGenOptLevel(optimization == Optimization::kFull
                                  ? llvm::CodeGenOptLevel::Aggressive
                                  : llvm::CodeGenOptLevel::None);
  auto machine = builder->createTargetMachine();
  if (!machine) return llvm_error(machine.takeError());

  auto context = std::make_unique<llvm::LLVMContext>();
  const Diagnostics diagnostics(*context);
  auto module = std::make_unique<llvm::Module>("egpu", *context);
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  EGPU_ASSIGN(const FunctionTable functions,
              declare_raw(program, place, RawStack::kOwn, *module, kMainFunction));
  functions.at(0)->setLinkage(llvm::GlobalValue::ExternalLinkage);
  EGPU_TRY(lower_raw(program, place, RawStack::kOwn, HostPlatform(functions), functions));
  EGPU_TRY(verify(*module));
  if (optimization == Optimization::kFull) optimize(*module, **machine);

  // No platform: programs have neither initialisers nor thread-local data.
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*builder))
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .create();
  if (!jit) return llvm_error(jit.takeError());
  if (auto error = (*jit)->addIRModule({std::move(module), std::move(context)}))
    return llvm_error(std::move(error));
  auto entry = (*jit)->lookup(kMainFunction);  // generates the code
  if (!entry) return llvm_error(entry.takeError());
  EGPU_TRY(diagnostics.first_error());
  return HostProgram(std::make_unique<HostProgram::Code>(std::move(*jit)),
                     entry->toPtr<HostProgram::Entry*>());
}

}  // namespace

HostProgram::HostProgram(std::unique_ptr<Code> code, Entry* entry)
    : code_(std::move(code)), entry_(entry) {}
HostProgram::HostProgram(HostProgram&&) noexcept = default;
HostProgram& HostProgram::operator=(HostProgram&&) noexcept = default;
HostProgram::~HostProgram() = default;

std::uint64_t HostProgram::operator()(void* memory, std::uint64_t size) const {
  return entry_(reinterpret_cast<std::uint64_t>(memory), size, 0, 0, 0);
}

Result<HostProgram> jit(const bpf::DecodedProgram& program, const bpf::SlotPlace& place,
                        Optimization optimization) {
  Result<HostProgram> result = internal_error("the code generator did not run");
  EGPU_TRY(run_guarded([&] { result = compile(program, place, optimization); }));
  return result;
}

}  // namespace egpu::codegen
