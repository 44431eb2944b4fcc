#include "codegen/host_jit.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ThreadSafeModule.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/TargetSelect.h>

#include <utility>
#include <vector>

#include "bpf/subprograms.h"
#include "codegen/crash_guard.h"
#include "codegen/diagnostics.h"
#include "codegen/emit.h"
#include "codegen/host_platform.h"
#include "codegen/lower_code.h"

namespace egpu::codegen {

class HostProgram::Code {
 public:
  explicit Code(std::unique_ptr<llvm::orc::LLJIT> jit) : jit_(std::move(jit)) {}

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

namespace {

constexpr std::uint32_t kStackBytes = 512;
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

// A 64-bit number of five others: r0 of r1 to r5.
llvm::Function* declare(llvm::Module& module, const bpf::Subprogram& function) {
  const bool is_main = function.first == 0;
  auto* number = llvm::Type::getInt64Ty(module.getContext());
  auto* type = llvm::FunctionType::get(number, {number, number, number, number, number}, false);
  auto* declared = llvm::Function::Create(
      type, is_main ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage,
      is_main ? kMainFunction : "subprogram_" + std::to_string(function.first), module);
  declared->addFnAttr(llvm::Attribute::NoUnwind);
  // An access to address 0 is an access like any other: it ends the process, not the program's
  // meaning.
  declared->addFnAttr(llvm::Attribute::NullPointerIsValid);
  return declared;
}

Result<void> lower_function(const Code& code, const Platform& platform, llvm::Function& function) {
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(function.getContext(), "entry", &function));
  const Registers registers(builder, kStackBytes);
  for (std::uint8_t i = 0; i < bpf::kR10.index; ++i) {
    const bool is_argument = i >= bpf::kR1.index && i <= bpf::kR5.index;
    registers.write(builder, bpf::Reg{i},
                    is_argument ? static_cast<llvm::Value*>(function.getArg(i - bpf::kR1.index))
                                : builder.getInt64(0));
  }
  return lower_code(code, platform, {builder, registers}, function);
}

Result<void> lower_functions(const bpf::DecodedProgram& program, const bpf::SlotPlace& place,
                             llvm::Module& module) {
  EGPU_ASSIGN(const std::vector<bpf::Subprogram> ranges, bpf::find_subprograms(program, place));
  HostFunctions functions;
  for (const bpf::Subprogram& range : ranges)
    functions.emplace(range.first, declare(module, range));

  const std::vector<verifier::InstructionFacts> facts(program.instructions.size(),
                                                      {.reachable = true});
  const HostPlatform platform(functions);
  for (const bpf::Subprogram& range : ranges) {
    const Code code{.instructions = program.instructions,
                    .facts = facts,
                    .first = range.first,
                    .end = range.end,
                    .place = [&](std::size_t index) { return place(program.slots[index]); }};
    EGPU_TRY(lower_function(code, platform, *functions.at(range.first)));
  }
  return {};
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
  EGPU_TRY(lower_functions(program, place, *module));
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
