#include "codegen/lower_instruction.h"

#include "codegen/alu.h"

namespace egpu::codegen {

using llvm::Value;

Result<void> InstructionLowering::lower(std::size_t index, const bpf::Instruction& instruction,
                                        const verifier::InstructionFacts& facts) {
  index_ = index;
  facts_ = &facts;
  return std::visit(*this, instruction);
}

Result<void> InstructionLowering::operator()(const bpf::Alu& alu) {
  Value* dst = registers_.read(builder_, alu.dst, alu.width);
  Value* src = registers_.read(builder_, alu.src, alu.width);
  registers_.write(builder_, alu.dst, emit_alu(builder_, alu.op, dst, src));
  return {};
}

Result<void> InstructionLowering::operator()(const bpf::Mov& mov) {
  Value* value = registers_.read(builder_, mov.src, mov.width);
  if (mov.sign_bits != 0 && mov.sign_bits < value->getType()->getIntegerBitWidth())
    value = builder_.CreateSExt(builder_.CreateTrunc(value, builder_.getIntNTy(mov.sign_bits)),
                                value->getType());
  registers_.write(builder_, mov.dst, value);
  return {};
}

Result<void> InstructionLowering::operator()(const bpf::Neg& neg) {
  registers_.write(builder_, neg.dst,
                   builder_.CreateNeg(registers_.read(builder_, neg.dst, neg.width)));
  return {};
}

Result<void> InstructionLowering::operator()(const bpf::ByteSwap& swap) {
  Value* value = registers_.read(builder_, swap.dst, bpf::Width::k64);
  registers_.write(builder_, swap.dst, emit_byte_swap(builder_, swap, value));
  return {};
}

Result<void> InstructionLowering::operator()(const bpf::LoadImm64& load) {
  const bool is_map = load.kind == bpf::Imm64Kind::kMap;
  registers_.write(builder_, load.dst, builder_.getInt64(is_map ? kOpaqueAddress : load.value));
  return {};
}

Result<void> InstructionLowering::operator()(const bpf::Jump& jump) {
  builder_.CreateBr(block_at(jump.target));
  return {};
}

Result<void> InstructionLowering::operator()(const bpf::JumpIf& jump) {
  llvm::BasicBlock* taken = block_at(jump.target);
  llvm::BasicBlock* next = block_at(index_ + 1);
  // The checker proved that one way is never taken.
  if (taken == nullptr || next == nullptr) {
    if (taken == nullptr && next == nullptr)
      return internal_error("both ways of a reachable branch are marked unreachable");
    builder_.CreateBr(taken != nullptr ? taken : next);
    return {};
  }
  Value* dst = registers_.read(builder_, jump.dst, jump.width);
  Value* src = registers_.read(builder_, jump.src, jump.width);
  builder_.CreateCondBr(emit_condition(builder_, jump.condition, dst, src), taken, next);
  return {};
}

Result<void> InstructionLowering::operator()(const bpf::Exit&) {
  builder_.CreateRetVoid();
  return {};
}

llvm::BasicBlock* InstructionLowering::block_at(std::size_t index) const {
  return index < blocks_.size() ? blocks_[index] : nullptr;
}

}  // namespace egpu::codegen
