#include "codegen/host_platform.h"

#include <string>

#include "codegen/operation.h"

namespace egpu::codegen {
namespace {

using llvm::AtomicOrdering;
using llvm::AtomicRMWInst;
using llvm::Value;

AtomicRMWInst::BinOp operation(bpf::AtomicOp op) {
  switch (op) {
    case bpf::AtomicOp::kAdd:
      return AtomicRMWInst::Add;
    case bpf::AtomicOp::kOr:
      return AtomicRMWInst::Or;
    case bpf::AtomicOp::kAnd:
      return AtomicRMWInst::And;
    case bpf::AtomicOp::kXor:
      return AtomicRMWInst::Xor;
    case bpf::AtomicOp::kExchange:
    case bpf::AtomicOp::kCompareExchange:
      break;
  }
  return AtomicRMWInst::Xchg;
}

}  // namespace

Result<Value*> HostPlatform::address(const Frame& frame, bpf::Reg base, std::int16_t offset,
                                     const verifier::InstructionFacts&) const {
  return frame.builder.CreateIntToPtr(sum(frame, base, offset), frame.builder.getPtrTy());
}

Value* HostPlatform::sum(const Frame& frame, bpf::Reg base, std::int16_t offset) {
  llvm::IRBuilder<>& builder = frame.builder;
  return builder.CreateAdd(frame.registers.read(builder, base, bpf::Width::k64),
                           llvm::ConstantInt::getSigned(builder.getInt64Ty(), offset));
}

Access HostPlatform::access(bpf::MemSize) const { return {llvm::Align(1), /*is_volatile=*/true}; }

Result<Value*> HostPlatform::context_load(const Frame&, const bpf::Load&,
                                          const verifier::InstructionFacts&) const {
  return internal_error(
      "a raw program has no context, yet a load of it reached the code generator");
}

// The kernel's memory model: without fetch relaxed, with fetch fully ordered.
Result<Value*> HostPlatform::atomic(const Frame& frame, const bpf::Atomic& atomic,
                                    const verifier::InstructionFacts& facts) const {
  llvm::IRBuilder<>& builder = frame.builder;
  const bpf::Width width = width_of(atomic);
  const llvm::Align alignment(static_cast<std::uint64_t>(atomic.size));
  EGPU_ASSIGN(Value * pointer, address(frame, atomic.base, atomic.offset, facts));
  Value* src = frame.registers.read(builder, atomic.src, width);
  if (atomic.op == bpf::AtomicOp::kCompareExchange) {
    Value* expected = frame.registers.read(builder, bpf::kR0, width);
    auto* exchange = builder.CreateAtomicCmpXchg(pointer, expected, src, alignment,
                                                 AtomicOrdering::SequentiallyConsistent,
                                                 AtomicOrdering::SequentiallyConsistent);
    exchange->setVolatile(true);
    return builder.CreateExtractValue(exchange, 0);
  }
  auto* change = builder.CreateAtomicRMW(
      operation(atomic.op), pointer, src, alignment,
      fetches(atomic) ? AtomicOrdering::SequentiallyConsistent : AtomicOrdering::Monotonic);
  change->setVolatile(true);
  return change;
}

Result<void> HostPlatform::call_helper(const Frame&, const bpf::CallHelper& call,
                                       const verifier::InstructionFacts&) const {
  return input_error("helper " + std::to_string(call.helper) +
                     " cannot be called by a raw program");
}

Result<void> HostPlatform::call_subprogram(const Frame& frame,
                                           const bpf::CallSubprogram& call) const {
  return call_with(frame, call, {});
}

Result<void> HostPlatform::call_with(const Frame& frame, const bpf::CallSubprogram& call,
                                     llvm::ArrayRef<Value*> more) const {
  const auto callee = functions_.find(call.target);
  if (callee == functions_.end())
    return internal_error("a call of a subprogram that is not known reached the code generator");
  llvm::SmallVector<Value*, 6> arguments;
  for (bpf::Reg argument = bpf::kR1; argument.index <= bpf::kR5.index; ++argument.index)
    arguments.push_back(frame.registers.read(frame.builder, argument, bpf::Width::k64));
  arguments.append(more.begin(), more.end());
  frame.registers.write(frame.builder, bpf::kR0,
                        frame.builder.CreateCall(callee->second, arguments));
  return {};
}

Result<void> HostPlatform::leave(const Frame& frame) const {
  frame.builder.CreateRet(frame.registers.read(frame.builder, bpf::kR0, bpf::Width::k64));
  return {};
}

}  // namespace egpu::codegen
