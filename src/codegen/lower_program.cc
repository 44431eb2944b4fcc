#include "codegen/lower_program.h"

#include <algorithm>

namespace egpu::codegen {
namespace {

using bpf::Instruction;

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

bool ends_block(const Instruction& instruction) {
  return std::holds_alternative<bpf::Jump>(instruction) ||
         std::holds_alternative<bpf::JumpIf>(instruction) ||
         std::holds_alternative<bpf::Exit>(instruction);
}

const std::uint32_t* jump_target(const Instruction& instruction) {
  if (const auto* jump = std::get_if<bpf::Jump>(&instruction)) return &jump->target;
  if (const auto* jump = std::get_if<bpf::JumpIf>(&instruction)) return &jump->target;
  return nullptr;
}

// A block for the first instruction, each jump target and each instruction after a jump.
Result<Blocks> make_blocks(const verifier::CheckedProgram& program, llvm::Function& function) {
  const auto& instructions = program.program->instructions;
  std::vector<bool> starts(instructions.size() + 1);
  starts[0] = true;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (ends_block(instructions[i])) starts[i + 1] = true;
    if (const std::uint32_t* target = jump_target(instructions[i])) {
      if (*target >= instructions.size())
        return internal_error("a jump out of the program reached the code generator");
      starts[*target] = true;
    }
  }

  Blocks blocks(instructions.size());
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (starts[i] && program.facts[i].reachable)
      blocks[i] =
          llvm::BasicBlock::Create(function.getContext(), "i" + std::to_string(i), &function);
  }
  return blocks;
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

// Instructions in order; where one runs into the start of a block, a branch joins them.
Result<void> lower_body(const verifier::CheckedProgram& program, const Blocks& blocks,
                        InstructionLowering& lowering, llvm::IRBuilder<>& builder) {
  const auto& instructions = program.program->instructions;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (!program.facts[i].reachable) continue;
    if (blocks[i] != nullptr) {
      if (builder.GetInsertBlock()->getTerminator() == nullptr) builder.CreateBr(blocks[i]);
      builder.SetInsertPoint(blocks[i]);
    }
    if (auto lowered = lowering.lower(i, instructions[i], program.facts[i]); !lowered)
      return std::move(lowered).error().at(program.program->place(i));
  }
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
  const Registers registers(builder, program.stack_bytes);
  registers.write(builder, bpf::kR1, builder.getInt64(kOpaqueAddress));

  // Then the program, block by block.
  EGPU_ASSIGN(const Blocks blocks, make_blocks(program, *function));
  InstructionLowering lowering(parts, builder, registers, inputs, blocks);
  EGPU_TRY(lower_body(program, blocks, lowering, builder));
  return function;
}

}  // namespace egpu::codegen
