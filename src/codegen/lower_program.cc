#include "codegen/lower_program.h"

#include <algorithm>

#include "codegen/lower_code.h"

namespace egpu::codegen {
namespace {

llvm::Function* declare(llvm::Module& module, const std::string& name) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* number = llvm::Type::getInt32Ty(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {number, number}, false);
  // Internal: PTX without .visible. Who keeps it alive is generate().
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  // Neither brx.idx nor tables in memory: the module must stay easy to merge.
  function->addFnAttr("no-jump-tables", "true");
  return function;
}

bool reads_active_mask(const verifier::CheckedProgram& program) {
  const auto offset =
      static_cast<std::int32_t>(abi::context_offset(abi::ContextField::kActiveMask));
  return std::any_of(program.facts.begin(), program.facts.end(), [&](const auto& facts) {
    return facts.reachable && facts.region == verifier::Region::kContext && facts.offset == offset;
  });
}

Result<void> check_shape(const verifier::CheckedProgram& program) {
  if (program.program == nullptr || program.program->instructions.empty() ||
      program.facts.size() != program.program->instructions.size() || !program.facts[0].reachable)
    return internal_error("the checker's facts do not fit the program");
  return {};
}

}  // namespace

Result<llvm::Function*> lower_program(const ModuleParts& parts,
                                      const verifier::CheckedProgram& program,
                                      const std::string& name) {
  EGPU_TRY(check_shape(program));
  llvm::Function* function = declare(parts.module, name);

  // Entry: the machine state, and what must be read before any branch.
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(parts.module.getContext(), "entry", function));
  ProbeInputs inputs{.kernel_id = function->getArg(0), .site_id = function->getArg(1)};
  if (reads_active_mask(program)) inputs.active_mask = read_active_mask(builder);
  const Registers registers(builder, program.frame_bytes.at(0));
  registers.write(builder, bpf::kR1, builder.getInt64(kOpaqueAddress));

  // Then the program, block by block.
  const Code code{.instructions = program.program->instructions,
                  .facts = program.facts,
                  .first = 0,
                  .end = program.facts.size(),
                  .place = [&program](std::size_t index) { return program.program->place(index); }};
  const GpuPlatform platform(parts, inputs);
  EGPU_TRY(lower_code(code, platform, {builder, registers}, *function));
  return function;
}

}  // namespace egpu::codegen
