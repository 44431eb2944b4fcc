#include "codegen/raw_kernel.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/NVPTXAddrSpace.h>

#include <memory>

#include "abi/raw_kernel.h"
#include "bpf/subprogram.h"
#include "codegen/crash_guard.h"
#include "codegen/diagnostics.h"
#include "codegen/emit.h"
#include "codegen/raw_gpu_platform.h"
#include "codegen/raw_program.h"
#include "codegen/target.h"

namespace egpu::codegen {
namespace {

using llvm::Value;

static_assert(abi::kRawFrames == bpf::kMaxCallDepth);

// The entry: calls the program's main function, whose stack is the highest, and stores r0.
void add_entry(llvm::Module& module, llvm::Function& main, const std::string& name) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type* number = builder.getInt64Ty();
  auto* type =
      llvm::FunctionType::get(builder.getVoidTy(), {number, number, number, number}, false);
  auto* entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  entry->setCallingConv(llvm::CallingConv::PTX_Kernel);
  entry->addFnAttr(llvm::Attribute::NoUnwind);
  // As its callee: LLVM inlines only where both agree.
  entry->addFnAttr(llvm::Attribute::NullPointerIsValid);

  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", entry));
  Value* zero = builder.getInt64(0);
  Value* stacks_end = builder.CreateAdd(entry->getArg(2), builder.getInt64(abi::kRawStacksBytes));
  Value* r0 =
      builder.CreateCall(&main, {entry->getArg(0), entry->getArg(1), zero, zero, zero, stacks_end});
  auto* pointer = llvm::PointerType::get(module.getContext(), llvm::NVPTXAS::ADDRESS_SPACE_GLOBAL);
  builder.CreateStore(r0, builder.CreateIntToPtr(entry->getArg(3), pointer));
  builder.CreateRetVoid();
}

Result<std::string> generate(std::span<const RawProgram> programs, Optimization optimization) {
  llvm::LLVMContext context;
  Diagnostics diagnostics(context);
  EGPU_ASSIGN(const auto machine, make_target_machine());
  EGPU_ASSIGN(const auto module, load_device_runtime(context, *machine));
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const auto& [program, place] = programs[i];
    EGPU_ASSIGN(
        const FunctionTable functions,
        declare_raw(program, place, RawStack::kCallers, *module, "program_" + std::to_string(i)));
    EGPU_TRY(lower_raw(program, place, RawStack::kCallers, RawGpuPlatform(functions), functions));
    add_entry(*module, *functions.at(0), raw_kernel_name(i));
  }
  EGPU_TRY(verify(*module));
  if (optimization == Optimization::kFull) {
    optimize(*module, *machine);
  } else {
    machine->setOptLevel(llvm::CodeGenOptLevel::None);
    inline_runtime(*module, *machine);
  }
  EGPU_ASSIGN(std::string ptx, emit_ptx(*module, *machine));
  EGPU_TRY(diagnostics.first_error());
  return ptx;
}

}  // namespace

std::string raw_kernel_name(std::size_t program) { return "egpu_raw_" + std::to_string(program); }

Result<std::string> generate_raw_kernels(std::span<const RawProgram> programs,
                                         Optimization optimization) {
  Result<std::string> result = internal_error("the code generator did not run");
  EGPU_TRY(run_guarded([&] { result = generate(programs, optimization); }));
  return result;
}

}  // namespace egpu::codegen
