#include "codegen/host_atomics.h"

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

Value* emit_host_atomic(const Frame& frame, const bpf::Atomic& atomic, Value* pointer) {
  llvm::IRBuilder<>& builder = frame.builder;
  const bpf::Width width = width_of(atomic);
  const llvm::Align alignment(static_cast<std::uint64_t>(atomic.size));
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
