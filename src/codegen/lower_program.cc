#include "codegen/lower_program.h"

#include <algorithm>

#include "codegen/checked_program.h"
#include "codegen/firing.h"

namespace egpu::codegen {
namespace {

// Internal: PTX without .visible. Who keeps it alive is generate().
llvm::Function* declare(llvm::Module& module, const std::string& name) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* number = llvm::Type::getInt32Ty(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {number, number}, false);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return function;
}

bool reads_active_mask(const verifier::CheckedProgram& program) {
  const auto offset =
      static_cast<std::int32_t>(abi::context_offset(abi::ContextField::kActiveMask));
  return std::any_of(program.facts.begin(), program.facts.end(), [&](const auto& facts) {
    return facts.reachable && facts.region == verifier::Region::kContext && facts.offset == offset;
  });
}

llvm::BasicBlock* begin(llvm::Function& function) {
  // Neither brx.idx nor tables in memory: the module must stay easy to merge.
  function.addFnAttr("no-jump-tables", "true");
  return llvm::BasicBlock::Create(function.getContext(), "entry", &function);
}

// The program itself: the probe.
Result<void> lower_main(const ModuleParts& parts, const verifier::CheckedProgram& program,
                        const FunctionTable& functions, llvm::Function& function,
                        std::uint32_t number) {
  const bpf::AttachPoint& attach = program.program->attach;
  llvm::IRBuilder<> builder(begin(function));
  ProbeInputs inputs{.kernel_id = function.getArg(0),
                     .site_id = function.getArg(1),
                     .weight = builder.getInt32(attach.sample)};
  if (reads_active_mask(program) || needs_active_mask(attach))
    inputs.active_mask = read_active_mask(builder);
  const GpuPlatform platform(parts, inputs, functions);
  EGPU_TRY(lower_function(program, 0, platform, builder, {builder.getInt64(kOpaqueAddress)}));
  return restrict_firing(function, attach, inputs.active_mask, number);
}

Result<void> lower_callee(const ModuleParts& parts, const verifier::CheckedProgram& program,
                          std::size_t index, const FunctionTable& functions,
                          llvm::Function& function) {
  llvm::IRBuilder<> builder(begin(function));
  const llvm::SmallVector<llvm::Value*, 5> arguments = arguments_of(function);
  const auto input = static_cast<unsigned>(arguments.size());
  const ProbeInputs inputs{.kernel_id = function.getArg(input),
                           .site_id = function.getArg(input + 1),
                           .active_mask = function.getArg(input + 2),
                           .weight = function.getArg(input + 3)};
  const GpuPlatform platform(parts, inputs, functions);
  return lower_function(program, index, platform, builder, arguments);
}

}  // namespace

Result<llvm::Function*> lower_program(const ModuleParts& parts,
                                      const verifier::CheckedProgram& program,
                                      const ProgramNames& names) {
  EGPU_TRY(check_shape(program));
  const FunctionTable functions =
      declare_functions(parts.module, program, names.functions, kInputCount);
  for (const auto& [first, function] : functions)
    EGPU_TRY(
        lower_callee(parts, program, program.program->function_of(first), functions, *function));
  llvm::Function* probe = declare(parts.module, names.probe);
  EGPU_TRY(lower_main(parts, program, functions, *probe, names.number));
  return probe;
}

}  // namespace egpu::codegen
