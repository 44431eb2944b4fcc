#include "codegen/calls.h"

#include <cerrno>

#include "verifier/helpers.h"

namespace egpu::codegen {
namespace {

using bpf::Width;
using llvm::Value;

constexpr bpf::Reg kData = bpf::kR3;
constexpr bpf::Reg kFlags = bpf::kR4;

// Calls `body` with 0, 1, ... (i64) as often as `limit` says, or until it gives something else than
// 0. Emits a loop at the builder's place and leaves the builder behind it. The result (i64): how
// often it was called.
Result<Value*> emit_calls(llvm::IRBuilder<>& builder, Value* limit,
                          llvm::function_ref<Result<Value*>(Value* index)> body) {
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::Function* function = before->getParent();
  auto* loop = llvm::BasicBlock::Create(builder.getContext(), "calls", function);
  auto* done = llvm::BasicBlock::Create(builder.getContext(), "called", function);
  builder.CreateCondBr(builder.CreateICmpEQ(limit, builder.getInt64(0)), done, loop);

  builder.SetInsertPoint(loop);
  llvm::PHINode* index = builder.CreatePHI(builder.getInt64Ty(), 2);
  index->addIncoming(builder.getInt64(0), before);
  EGPU_ASSIGN(Value * result, body(index));
  Value* next = builder.CreateAdd(index, builder.getInt64(1));
  Value* stop = builder.CreateOr(builder.CreateICmpNE(result, builder.getInt64(0)),
                                 builder.CreateICmpUGE(next, limit));
  llvm::BasicBlock* end = builder.GetInsertBlock();
  builder.CreateCondBr(stop, done, loop);
  index->addIncoming(next, end);

  builder.SetInsertPoint(done);
  llvm::PHINode* calls = builder.CreatePHI(builder.getInt64Ty(), 2);
  calls->addIncoming(builder.getInt64(0), before);
  calls->addIncoming(next, end);
  return calls;
}

// In the entry block, so that it is one variable and not a new one in every round of a loop.
llvm::AllocaInst* make_key(llvm::Function& function) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.begin());
  return builder.CreateAlloca(builder.getInt32Ty(), nullptr, "key");
}

}  // namespace

Result<void> call_function(const Frame& frame, const Callees& callees, std::uint32_t target) {
  llvm::SmallVector<Value*, kArguments> arguments;
  for (bpf::Reg argument = bpf::kR1; argument.index <= kArguments; ++argument.index)
    arguments.push_back(frame.registers.read(frame.builder, argument, Width::k64));
  EGPU_ASSIGN(Value * result, call_function(frame.builder, callees, target, arguments));
  frame.registers.write(frame.builder, bpf::kR0, result);
  return {};
}

Result<Value*> call_function(llvm::IRBuilder<>& builder, const Callees& callees,
                             std::uint32_t target, llvm::ArrayRef<Value*> arguments) {
  const auto callee = callees.functions.find(target);
  if (callee == callees.functions.end())
    return internal_error("a call of a subprogram that is not known reached the code generator");
  llvm::SmallVector<Value*, 8> all(arguments);
  all.resize(kArguments, builder.getInt64(0));
  all.append(callees.handed_down);
  return builder.CreateCall(callee->second, all);
}

Result<void> call_loop(const Frame& frame, const Callees& callees, std::uint32_t callback) {
  llvm::IRBuilder<>& builder = frame.builder;
  // A u32: what the upper half of r1 holds does not matter.
  Value* count =
      builder.CreateZExt(frame.registers.read(builder, bpf::kR1, Width::k32), builder.getInt64Ty());
  Value* data = frame.registers.read(builder, kData, Width::k64);
  Value* bad_flags =
      builder.CreateICmpNE(frame.registers.read(builder, kFlags, Width::k64), builder.getInt64(0));
  Value* too_many = builder.CreateICmpUGT(count, builder.getInt64(verifier::kMaxLoops));
  Value* limit =
      builder.CreateSelect(builder.CreateOr(bad_flags, too_many), builder.getInt64(0), count);
  EGPU_ASSIGN(Value * calls, emit_calls(builder, limit, [&](Value* index) {
                return call_function(builder, callees, callback, {index, data});
              }));
  auto* number = builder.getInt64Ty();
  Value* result =
      builder.CreateSelect(too_many, llvm::ConstantInt::getSigned(number, -E2BIG), calls);
  frame.registers.write(
      builder, bpf::kR0,
      builder.CreateSelect(bad_flags, llvm::ConstantInt::getSigned(number, -EINVAL), result));
  return {};
}

Result<void> call_for_each(const Frame& frame, const Callees& callees, std::uint32_t callback,
                           const MapElements& elements) {
  llvm::IRBuilder<>& builder = frame.builder;
  Value* map = frame.registers.read(builder, bpf::kR1, Width::k64);
  Value* data = frame.registers.read(builder, kData, Width::k64);
  Value* bad_flags =
      builder.CreateICmpNE(frame.registers.read(builder, kFlags, Width::k64), builder.getInt64(0));
  llvm::AllocaInst* key = make_key(*builder.GetInsertBlock()->getParent());
  Value* limit = builder.CreateSelect(bad_flags, builder.getInt64(0), elements.entries);
  EGPU_ASSIGN(Value * calls, emit_calls(builder, limit, [&](Value* index) -> Result<Value*> {
                Value* key_number = builder.CreateTrunc(index, builder.getInt32Ty());
                builder.CreateStore(key_number, key);
                EGPU_ASSIGN(Value * value, elements.value_address(key_number));
                Value* key_address = builder.CreatePtrToInt(key, builder.getInt64Ty());
                return call_function(builder, callees, callback, {map, key_address, value, data});
              }));
  frame.registers.write(
      builder, bpf::kR0,
      builder.CreateSelect(bad_flags, llvm::ConstantInt::getSigned(builder.getInt64Ty(), -EINVAL),
                           calls));
  return {};
}

}  // namespace egpu::codegen
