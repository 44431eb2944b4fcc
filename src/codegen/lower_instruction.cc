#include "codegen/lower_instruction.h"

#include "codegen/alu.h"
#include "codegen/operation.h"

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
  Value* value = nullptr;
  switch (load.kind) {
    case bpf::Imm64Kind::kConstant:
      value = builder_.getInt64(load.value);
      break;
    case bpf::Imm64Kind::kMap:
    case bpf::Imm64Kind::kFunction:
      value = builder_.getInt64(kOpaqueAddress);
      break;
    case bpf::Imm64Kind::kMapData:
    case bpf::Imm64Kind::kReadOnly: {
      EGPU_ASSIGN(value, platform_.data_address(frame_, load));
      break;
    }
  }
  registers_.write(builder_, load.dst, value);
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

Result<void> InstructionLowering::operator()(const bpf::Load& load) {
  EGPU_ASSIGN(Value * value, load_value(load));
  if (load.sign_extend) value = builder_.CreateSExt(value, builder_.getInt64Ty());
  registers_.write(builder_, load.dst, value);
  return {};
}

Result<Value*> InstructionLowering::load_value(const bpf::Load& load) {
  if (facts_->region == verifier::Region::kContext)
    return platform_.context_load(frame_, load, *facts_);
  EGPU_ASSIGN(Value * pointer, platform_.address(frame_, load.base, load.offset, *facts_));
  const Access access = platform_.access(load.size, *facts_);
  llvm::LoadInst* value = builder_.CreateAlignedLoad(builder_.getIntNTy(bits_of(load.size)),
                                                     pointer, access.alignment, access.is_volatile);
  if (access.is_invariant)
    value->setMetadata(llvm::LLVMContext::MD_invariant_load,
                       llvm::MDNode::get(builder_.getContext(), {}));
  return value;
}

Result<void> InstructionLowering::operator()(const bpf::Store& store) {
  EGPU_ASSIGN(Value * pointer, platform_.address(frame_, store.base, store.offset, *facts_));
  const Access access = platform_.access(store.size, *facts_);
  Value* value = registers_.read(builder_, store.src, bpf::Width::k64);
  builder_.CreateAlignedStore(builder_.CreateTrunc(value, builder_.getIntNTy(bits_of(store.size))),
                              pointer, access.alignment, access.is_volatile);
  return {};
}

Result<void> InstructionLowering::operator()(const bpf::Atomic& atomic) {
  EGPU_ASSIGN(Value * old, platform_.atomic(frame_, atomic, *facts_));
  if (atomic.op == bpf::AtomicOp::kCompareExchange)
    registers_.write(builder_, bpf::kR0, old);
  else if (fetches(atomic))
    registers_.write(builder_, atomic.src, old);
  return {};
}

Result<void> InstructionLowering::operator()(const bpf::CallHelper& call) {
  return platform_.call_helper(frame_, call, *facts_);
}

Result<void> InstructionLowering::operator()(const bpf::CallSubprogram& call) {
  return platform_.call_subprogram(frame_, call);
}

Result<void> InstructionLowering::operator()(const bpf::CallExtern& call) {
  return platform_.call_extern(frame_, call);
}

Result<void> InstructionLowering::operator()(const bpf::Exit&) { return platform_.leave(frame_); }

llvm::BasicBlock* InstructionLowering::block_at(std::size_t index) const {
  return index < blocks_.size() ? blocks_[index] : nullptr;
}

}  // namespace egpu::codegen
