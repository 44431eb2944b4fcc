// The eBPF machine state of one probe firing: eleven 64-bit registers and the stack, as local
// variables that the optimiser turns into values.
//
// Pointers are 64-bit numbers in registers, as in eBPF. The stack is one variable; accesses to it
// name their offset (the checker knows it), so that it needs no memory either.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <array>
#include <cstdint>

#include "bpf/instruction.h"

namespace egpu::codegen {

class Registers {
 public:
  // Emits the variables at the builder's place: the function's entry block.
  Registers(llvm::IRBuilder<>& builder, std::uint32_t stack_bytes);

  // All 64 bits, or the low 32, as an i64 or i32; immediates are sign-extended.
  llvm::Value* read(llvm::IRBuilder<>& builder, bpf::Reg reg, bpf::Width width) const;
  llvm::Value* read(llvm::IRBuilder<>& builder, const bpf::Operand& operand,
                    bpf::Width width) const;

  // `value`: an integer of at most 64 bits; the upper bits of the register become zero.
  void write(llvm::IRBuilder<>& builder, bpf::Reg reg, llvm::Value* value) const;

  // The number `offset` above what all 64 bits of `reg` hold.
  llvm::Value* sum(llvm::IRBuilder<>& builder, bpf::Reg reg, std::int16_t offset) const;

  // The address (generic space) `offset` bytes from the frame pointer; offset is negative.
  llvm::Value* stack_address(llvm::IRBuilder<>& builder, std::int32_t offset) const;

 private:
  std::array<llvm::AllocaInst*, 11> registers_{};
  llvm::AllocaInst* stack_;
  std::uint32_t stack_bytes_;
};

}  // namespace egpu::codegen
