#include "codegen/host_atomics.h"

#include <llvm/IR/InlineAsm.h>

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

// The same address, of which LLVM knows nothing. Where the operand of an atomic is also part of its
// address, LLVM 22 for x86-64 folds a shift of it into the address and then uses what is left as
// the operand too, or crashes (tests/isa/atomics.case has such a program).
Value* opaque(llvm::IRBuilder<>& builder, Value* pointer) {
  auto* type = llvm::FunctionType::get(pointer->getType(), {pointer->getType()}, false);
  return builder.CreateCall(llvm::InlineAsm::get(type, "", "=r,0", /*hasSideEffects=*/false),
                            {pointer});
}

}  // namespace

Value* emit_host_atomic(const Frame& frame, const bpf::Atomic& atomic, Value* pointer) {
  llvm::IRBuilder<>& builder = frame.builder;
  const bpf::Width width = width_of(atomic);
  const llvm::Align alignment(static_cast<std::uint64_t>(atomic.size));
  pointer = opaque(builder, pointer);
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

}  // namespace egpu::codegen
