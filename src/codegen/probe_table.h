// The probe table (abi/probe_table.h) as generated code sees it: a symbol of the module, filled by
// the host before the first launch and never written while kernels run.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "codegen/generate.h"

namespace egpu::codegen {

class ProbeTable {
 public:
  // Defines the symbol in `module`.
  ProbeTable(llvm::Module& module, std::size_t maps, TableSpace space);

  // Reads of the table, emitted at the builder's place: numbers of 32 bits,
  llvm::Value* shards(llvm::IRBuilder<>& builder) const;
  llvm::Value* process_id(llvm::IRBuilder<>& builder) const;
  // and of 64 bits; the command as its first and its last 8 bytes.
  std::pair<llvm::Value*, llvm::Value*> command(llvm::IRBuilder<>& builder) const;
  llvm::Value* map_address(llvm::IRBuilder<>& builder, std::uint32_t map) const;

 private:
  llvm::Value* read(llvm::IRBuilder<>& builder, std::uint64_t offset, unsigned bits) const;

  llvm::GlobalVariable* table_;
};

}  // namespace egpu::codegen
