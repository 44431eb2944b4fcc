#include "codegen/checked_program.h"

#include "codegen/lower_code.h"

namespace egpu::codegen {

Result<void> check_shape(const verifier::CheckedProgram& program) {
  const bpf::Program* const code = program.program;
  bool fits = code != nullptr && !code->functions.empty() &&
              program.facts.size() == code->instructions.size() &&
              program.frame_bytes.size() == code->functions.size() && program.facts[0].reachable;
  std::size_t end = 0;
  for (std::size_t i = 0; fits && i < code->functions.size(); ++i) {
    const bpf::Subprogram& range = code->functions[i].range;
    fits = range.first == end && range.end > range.first && range.end <= program.facts.size();
    end = range.end;
  }
  if (!fits) return internal_error("the checker's facts do not fit the program");
  return {};
}

FunctionTable declare_functions(llvm::Module& module, const verifier::CheckedProgram& program,
                                const std::string& prefix, unsigned handed_down) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* number = llvm::Type::getInt64Ty(context);
  llvm::SmallVector<llvm::Type*, 8> parameters(kArguments, number);
  parameters.append(handed_down, llvm::Type::getInt32Ty(context));
  auto* type = llvm::FunctionType::get(number, parameters, false);
  FunctionTable functions;
  const auto& all = program.program->functions;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (!program.facts[all[i].range.first].reachable) continue;
    auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                            prefix + "_" + std::to_string(i), module);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    functions.emplace(all[i].range.first, function);
  }
  return functions;
}

Result<void> lower_function(const verifier::CheckedProgram& program, std::size_t index,
                            const Platform& platform, llvm::IRBuilder<>& builder,
                            llvm::ArrayRef<llvm::Value*> arguments) {
  const bpf::Program& source = *program.program;
  const Registers registers(builder, program.frame_bytes[index]);
  bpf::Reg argument = bpf::kR1;
  for (llvm::Value* value : arguments) {
    registers.write(builder, argument, value);
    ++argument.index;
  }
  const bpf::Subprogram& range = source.functions[index].range;
  const Code code{.instructions = source.instructions,
                  .facts = program.facts,
                  .first = range.first,
                  .end = range.end,
                  .place = [&source](std::size_t at) { return source.place(at); }};
  return lower_code(code, platform, {builder, registers}, *builder.GetInsertBlock()->getParent());
}

llvm::SmallVector<llvm::Value*, 5> arguments_of(llvm::Function& function) {
  llvm::SmallVector<llvm::Value*, 5> arguments;
  for (unsigned i = 0; i < kArguments; ++i) arguments.push_back(function.getArg(i));
  return arguments;
}

}  // namespace egpu::codegen
