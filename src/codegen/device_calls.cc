#include "codegen/device_calls.h"

#include <llvm/IR/Module.h>

#include "codegen/operation.h"

namespace egpu::codegen {
namespace {

using llvm::Value;

const char* operation_name(bpf::AtomicOp op) {
  switch (op) {
    case bpf::AtomicOp::kAdd:
      return "add";
    case bpf::AtomicOp::kOr:
      return "or";
    case bpf::AtomicOp::kAnd:
      return "and";
    case bpf::AtomicOp::kXor:
      return "xor";
    case bpf::AtomicOp::kExchange:
      return "exchange";
    case bpf::AtomicOp::kCompareExchange:
      break;
  }
  return "compare_exchange";
}

// "egpu_fetch_add_64", as src/device/atomics.c names it.
std::string runtime_name(const bpf::Atomic& atomic) {
  const std::string bits = std::to_string(bits_of(atomic.size));
  if (atomic.op == bpf::AtomicOp::kCompareExchange) return "egpu_compare_exchange_" + bits;
  return std::string(fetches(atomic) ? "egpu_fetch_" : "egpu_reduce_") + operation_name(atomic.op) +
         "_" + bits;
}

}  // namespace

Result<Value*> call_runtime(llvm::IRBuilder<>& builder, const std::string& name,
                            std::span<Value* const> arguments) {
  llvm::Function* function = builder.GetInsertBlock()->getModule()->getFunction(name);
  if (function == nullptr) return internal_error("the device runtime has no " + name);
  return builder.CreateCall(function, llvm::ArrayRef<Value*>(arguments.data(), arguments.size()));
}

Result<Value*> call_atomic(const Frame& frame, const bpf::Atomic& atomic, Value* address) {
  llvm::IRBuilder<>& builder = frame.builder;
  const bpf::Width width = width_of(atomic);
  llvm::SmallVector<Value*, 3> arguments{address};
  if (atomic.op == bpf::AtomicOp::kCompareExchange)
    arguments.push_back(frame.registers.read(builder, bpf::kR0, width));
  arguments.push_back(frame.registers.read(builder, atomic.src, width));
  return call_runtime(builder, runtime_name(atomic), arguments);
}

}  // namespace egpu::codegen
