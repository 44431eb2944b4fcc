// Atomics on the host.
#pragma once

#include "bpf/instruction.h"
#include "codegen/platform.h"

namespace egpu::codegen {

// The operation on what `pointer` points to, by the kernel's memory model: without fetch relaxed,
// with fetch fully ordered. Gives what Platform::atomic() gives.
llvm::Value* emit_host_atomic(const Frame& frame, const bpf::Atomic& atomic, llvm::Value* pointer);

}  // namespace egpu::codegen
