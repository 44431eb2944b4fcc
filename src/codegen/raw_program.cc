#include "codegen/raw_program.h"

#include <iterator>
#include <vector>

#include "abi/raw_kernel.h"
#include "bpf/subprograms.h"
#include "codegen/lower_code.h"

namespace egpu::codegen {
namespace {

llvm::Function* declare(llvm::Module& module, RawStack stack, const std::string& name) {
  auto* number = llvm::Type::getInt64Ty(module.getContext());
  llvm::SmallVector<llvm::Type*> parameters(kArguments, number);
  if (stack == RawStack::kCallers) parameters.push_back(number);
  auto* declared = llvm::Function::Create(llvm::FunctionType::get(number, parameters, false),
                                          llvm::GlobalValue::InternalLinkage, name, module);
  declared->addFnAttr(llvm::Attribute::NoUnwind);
  // An access to address 0 is an access like any other: it ends the process, not the program's
  // meaning.
  declared->addFnAttr(llvm::Attribute::NullPointerIsValid);
  return declared;
}

Result<void> lower_function(const Code& code, const Platform& platform, RawStack stack,
                            llvm::Function& function) {
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(function.getContext(), "entry", &function));
  const Registers registers(builder, stack == RawStack::kOwn ? abi::kRawStackBytes : 0);
  if (stack == RawStack::kCallers) registers.write(builder, bpf::kR10, function.getArg(kArguments));
  for (std::uint8_t i = 0; i < bpf::kR10.index; ++i) {
    const bool is_argument = i >= bpf::kR1.index && i <= bpf::kR5.index;
    registers.write(builder, bpf::Reg{i},
                    is_argument ? static_cast<llvm::Value*>(function.getArg(i - bpf::kR1.index))
                                : builder.getInt64(0));
  }
  return lower_code(code, platform, {builder, registers}, function);
}

}  // namespace

Result<FunctionTable> declare_raw(const bpf::DecodedProgram& program, const bpf::SlotPlace& place,
                                  RawStack stack, llvm::Module& module, const std::string& name) {
  EGPU_ASSIGN(const std::vector<bpf::Subprogram> ranges, bpf::find_subprograms(program, place));
  FunctionTable functions;
  for (const bpf::Subprogram& range : ranges) {
    const std::string suffix = range.first == 0 ? "" : "_" + std::to_string(range.first);
    functions.emplace(range.first, declare(module, stack, name + suffix));
  }
  return functions;
}

Result<void> lower_raw(const bpf::DecodedProgram& program, const bpf::SlotPlace& place,
                       RawStack stack, const Platform& platform, const FunctionTable& functions) {
  const std::vector<verifier::InstructionFacts> facts(program.instructions.size(),
                                                      {.reachable = true});
  // Each function goes on to where the next begins.
  for (auto function = functions.begin(); function != functions.end(); ++function) {
    const auto next = std::next(function);
    const Code code{.instructions = program.instructions,
                    .facts = facts,
                    .first = function->first,
                    .end = next != functions.end() ? next->first : program.instructions.size(),
                    .place = [&](std::size_t index) { return place(program.slots[index]); }};
    EGPU_TRY(lower_function(code, platform, stack, *function->second));
  }
  return {};
}

}  // namespace egpu::codegen
