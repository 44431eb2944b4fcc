// Arithmetic of RFC 9669 on LLVM values. eBPF defines every result; LLVM leaves division by zero,
// overflowing division and long shifts undefined, so each of these is spelled out.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "bpf/instruction.h"

namespace egpu::codegen {

// `dst op src`. Both are of one type, i32 or i64, and so is the result.
llvm::Value* emit_alu(llvm::IRBuilder<>& builder, bpf::AluOp op, llvm::Value* dst,
                      llvm::Value* src);

// Whether `dst condition src` holds (i1). Both are of one type, i32 or i64.
llvm::Value* emit_condition(llvm::IRBuilder<>& builder, bpf::Condition condition, llvm::Value* dst,
                            llvm::Value* src);

// The low `swap.bits` of the i64 `value` in the asked byte order (the GPU is little-endian), the
// rest zero.
llvm::Value* emit_byte_swap(llvm::IRBuilder<>& builder, const bpf::ByteSwap& swap,
                            llvm::Value* value);

}  // namespace egpu::codegen
