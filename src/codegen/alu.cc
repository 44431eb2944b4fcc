#include "codegen/alu.h"

#include <llvm/IR/Intrinsics.h>

namespace egpu::codegen {
namespace {

using bpf::AluOp;
using bpf::Condition;
using llvm::Value;

// x / 0 = 0, x % 0 = x. The divisor is replaced before the division, since LLVM may execute a
// division whose result a select then drops.
Value* emit_unsigned_division(llvm::IRBuilder<>& builder, AluOp op, Value* dst, Value* src) {
  Value* zero = llvm::ConstantInt::get(dst->getType(), 0);
  Value* one = llvm::ConstantInt::get(dst->getType(), 1);
  Value* is_zero = builder.CreateICmpEQ(src, zero);
  Value* divisor = builder.CreateSelect(is_zero, one, src);
  return op == AluOp::kDiv ? builder.CreateSelect(is_zero, zero, builder.CreateUDiv(dst, divisor))
                           : builder.CreateSelect(is_zero, dst, builder.CreateURem(dst, divisor));
}

// As above; and x / -1 = -x, x % -1 = 0 for the smallest number too, where the machine's division
// overflows.
Value* emit_signed_division(llvm::IRBuilder<>& builder, AluOp op, Value* dst, Value* src) {
  Value* zero = llvm::ConstantInt::get(dst->getType(), 0);
  Value* one = llvm::ConstantInt::get(dst->getType(), 1);
  Value* is_zero = builder.CreateICmpEQ(src, zero);
  Value* is_minus_one =
      builder.CreateICmpEQ(src, llvm::ConstantInt::getAllOnesValue(src->getType()));
  Value* divisor = builder.CreateSelect(builder.CreateOr(is_zero, is_minus_one), one, src);
  if (op == AluOp::kSdiv) {
    Value* quotient = builder.CreateSDiv(dst, divisor);
    Value* for_minus_one = builder.CreateSelect(is_minus_one, builder.CreateNeg(dst), quotient);
    return builder.CreateSelect(is_zero, zero, for_minus_one);
  }
  Value* remainder = builder.CreateSRem(dst, divisor);  // of 1, that is 0, where src is -1
  return builder.CreateSelect(is_zero, dst, remainder);
}

// Shift counts are taken modulo the width.
Value* shift_count(llvm::IRBuilder<>& builder, Value* src) {
  return builder.CreateAnd(src, src->getType()->getIntegerBitWidth() - 1);
}

llvm::CmpInst::Predicate predicate(Condition condition) {
  switch (condition) {
    case Condition::kEq:
      return llvm::CmpInst::ICMP_EQ;
    case Condition::kNe:
    case Condition::kSet:  // of the conjunction and zero
      return llvm::CmpInst::ICMP_NE;
    case Condition::kGt:
      return llvm::CmpInst::ICMP_UGT;
    case Condition::kGe:
      return llvm::CmpInst::ICMP_UGE;
    case Condition::kLt:
      return llvm::CmpInst::ICMP_ULT;
    case Condition::kLe:
      return llvm::CmpInst::ICMP_ULE;
    case Condition::kSgt:
      return llvm::CmpInst::ICMP_SGT;
    case Condition::kSge:
      return llvm::CmpInst::ICMP_SGE;
    case Condition::kSlt:
      return llvm::CmpInst::ICMP_SLT;
    case Condition::kSle:
      return llvm::CmpInst::ICMP_SLE;
  }
  return llvm::CmpInst::BAD_ICMP_PREDICATE;
}

}  // namespace

Value* emit_alu(llvm::IRBuilder<>& builder, AluOp op, Value* dst, Value* src) {
  switch (op) {
    case AluOp::kAdd:
      return builder.CreateAdd(dst, src);
    case AluOp::kSub:
      return builder.CreateSub(dst, src);
    case AluOp::kMul:
      return builder.CreateMul(dst, src);
    case AluOp::kOr:
      return builder.CreateOr(dst, src);
    case AluOp::kAnd:
      return builder.CreateAnd(dst, src);
    case AluOp::kXor:
      return builder.CreateXor(dst, src);
    case AluOp::kLsh:
      return builder.CreateShl(dst, shift_count(builder, src));
    case AluOp::kRsh:
      return builder.CreateLShr(dst, shift_count(builder, src));
    case AluOp::kArsh:
      return builder.CreateAShr(dst, shift_count(builder, src));
    case AluOp::kDiv:
    case AluOp::kMod:
      return emit_unsigned_division(builder, op, dst, src);
    case AluOp::kSdiv:
    case AluOp::kSmod:
      return emit_signed_division(builder, op, dst, src);
  }
  return nullptr;
}

Value* emit_condition(llvm::IRBuilder<>& builder, Condition condition, Value* dst, Value* src) {
  if (condition == Condition::kSet) {
    dst = builder.CreateAnd(dst, src);
    src = llvm::ConstantInt::get(dst->getType(), 0);
  }
  return builder.CreateICmp(predicate(condition), dst, src);
}

Value* emit_byte_swap(llvm::IRBuilder<>& builder, const bpf::ByteSwap& swap, Value* value) {
  Value* narrow = builder.CreateTrunc(value, builder.getIntNTy(swap.bits));
  if (swap.order != bpf::ByteOrder::kToLittle)
    narrow = builder.CreateUnaryIntrinsic(llvm::Intrinsic::bswap, narrow);
  return builder.CreateZExt(narrow, builder.getInt64Ty());
}

}  // namespace egpu::codegen
