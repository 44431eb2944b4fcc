#include "codegen/calls.h"

#include <cerrno>

#include "verifier/helpers.h"

namespace egpu::codegen {
namespace {

using bpf::Width;
using llvm::Value;

constexpr bpf::Reg kData = bpf::kR3;
constexpr bpf::Reg kFlags = bpf::kR4;

// What one round of a loop of calls did.
struct Round {
  Value* called;  // i64: 1, or 0 where there was nothing to call with
  Value* result;  // i64: of the callback; 0 where it was not called
};

// Runs `body` with 0, 1, ... (i64) as often as `limit` says, or until it gives a result that is not
// 0. Emits a loop at the builder's place and leaves the builder behind it. The result (i64): how
// many rounds called.
Result<Value*> emit_calls(llvm::IRBuilder<>& builder, Value* limit,
                          llvm::function_ref<Result<Round>(Value* index)> body) {
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::Function* function = before->getParent();
  auto* loop = llvm::BasicBlock::Create(builder.getContext(), "calls", function);
  auto* done = llvm::BasicBlock::Create(builder.getContext(), "called", function);
  builder.CreateCondBr(builder.CreateICmpEQ(limit, builder.getInt64(0)), done, loop);

  builder.SetInsertPoint(loop);
  llvm::PHINode* index = builder.CreatePHI(builder.getInt64Ty(), 2);
  llvm::PHINode* count = builder.CreatePHI(builder.getInt64Ty(), 2);
  EGPU_ASSIGN(const Round round, body(index));
  Value* next = builder.CreateAdd(index, builder.getInt64(1));
  Value* next_count = builder.CreateAdd(count, round.called);
  Value* stop = builder.CreateOr(builder.CreateICmpNE(round.result, builder.getInt64(0)),
                                 builder.CreateICmpUGE(next, limit));
  llvm::BasicBlock* end = builder.GetInsertBlock();
  builder.CreateCondBr(stop, done, loop);
  for (llvm::PHINode* phi : {index, count}) phi->addIncoming(builder.getInt64(0), before);
  index->addIncoming(next, end);
  count->addIncoming(next_count, end);

  builder.SetInsertPoint(done);
  llvm::PHINode* calls = builder.CreatePHI(builder.getInt64Ty(), 2);
  calls->addIncoming(builder.getInt64(0), before);
  calls->addIncoming(next_count, end);
  return calls;
}

// Emits `call` where the value is not null.
Result<Round> call_where_present(llvm::IRBuilder<>& builder, Value* value,
                                 llvm::function_ref<Result<Value*>()> call) {
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::Function* function = before->getParent();
  auto* present = llvm::BasicBlock::Create(builder.getContext(), "present", function);
  auto* behind = llvm::BasicBlock::Create(builder.getContext(), "behind", function);
  Value* missing = builder.CreateICmpEQ(value, builder.getInt64(0));
  builder.CreateCondBr(missing, behind, present);

  builder.SetInsertPoint(present);
  EGPU_ASSIGN(Value * called, call());
  llvm::BasicBlock* end = builder.GetInsertBlock();
  builder.CreateBr(behind);

  builder.SetInsertPoint(behind);
  llvm::PHINode* result = builder.CreatePHI(builder.getInt64Ty(), 2);
  result->addIncoming(builder.getInt64(0), before);
  result->addIncoming(called, end);
  llvm::PHINode* count = builder.CreatePHI(builder.getInt64Ty(), 2);
  count->addIncoming(builder.getInt64(0), before);
  count->addIncoming(builder.getInt64(1), end);
  return Round{.called = count, .result = result};
}

// In the entry block, so that it is one variable and not a new one in every round of a loop.
llvm::AllocaInst* make_key(llvm::Function& function, std::uint32_t bytes) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.begin());
  return builder.CreateAlloca(llvm::ArrayType::get(builder.getInt64Ty(), (bytes + 7) / 8), nullptr,
                              "key");
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
  EGPU_ASSIGN(Value * calls, emit_calls(builder, limit, [&](Value* index) -> Result<Round> {
                EGPU_ASSIGN(Value * result,
                            call_function(builder, callees, callback, {index, data}));
                return Round{.called = builder.getInt64(1), .result = result};
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
  Value* key = builder.CreatePtrToInt(
      make_key(*builder.GetInsertBlock()->getParent(), elements.key_bytes), builder.getInt64Ty());
  Value* limit = builder.CreateSelect(bad_flags, builder.getInt64(0), elements.places);
  EGPU_ASSIGN(Value * calls, emit_calls(builder, limit, [&](Value* index) -> Result<Round> {
                EGPU_ASSIGN(Value * value, elements.element(index, key));
                const auto call = [&] {
                  return call_function(builder, callees, callback, {map, key, value, data});
                };
                if (!elements.all_hold_elements) return call_where_present(builder, value, call);
                EGPU_ASSIGN(Value * result, call());
                return Round{.called = builder.getInt64(1), .result = result};
              }));
  frame.registers.write(
      builder, bpf::kR0,
      builder.CreateSelect(bad_flags, llvm::ConstantInt::getSigned(builder.getInt64Ty(), -EINVAL),
                           calls));
  return {};
}

}  // namespace egpu::codegen
