#include "codegen/probe_table.h"

#include <llvm/Support/NVPTXAddrSpace.h>

#include <cstddef>

#include "abi/probe_table.h"

namespace egpu::codegen {

ProbeTable::ProbeTable(llvm::Module& module, std::size_t maps, TableSpace space) {
  auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()),
                                    abi::probe_table_bytes(maps));
  const unsigned address_space = space == TableSpace::kConst ? llvm::NVPTXAS::ADDRESS_SPACE_CONST
                                                             : llvm::NVPTXAS::ADDRESS_SPACE_GLOBAL;
  // Externally initialised: the optimiser must not believe the zeros, the host patches them.
  table_ = new llvm::GlobalVariable(module, type, /*isConstant=*/false,
                                    llvm::GlobalValue::ExternalLinkage,
                                    llvm::ConstantAggregateZero::get(type), abi::kProbeTableSymbol,
                                    /*InsertBefore=*/nullptr, llvm::GlobalValue::NotThreadLocal,
                                    address_space, /*isExternallyInitialized=*/true);
  table_->setAlignment(llvm::Align(8));
}

llvm::Value* ProbeTable::shards(llvm::IRBuilder<>& builder) const {
  return read(builder, offsetof(abi::ProbeTableHeader, shards), 32);
}

llvm::Value* ProbeTable::process_id(llvm::IRBuilder<>& builder) const {
  return read(builder, offsetof(abi::ProbeTableHeader, process_id), 32);
}

std::pair<llvm::Value*, llvm::Value*> ProbeTable::command(llvm::IRBuilder<>& builder) const {
  constexpr std::size_t kOffset = offsetof(abi::ProbeTableHeader, command);
  llvm::Value* low = read(builder, kOffset, 64);
  return {low, read(builder, kOffset + 8, 64)};
}

llvm::Value* ProbeTable::map_address(llvm::IRBuilder<>& builder, std::uint32_t map) const {
  return read(builder, abi::probe_table_bytes(map), 64);
}

llvm::Value* ProbeTable::read(llvm::IRBuilder<>& builder, std::uint64_t offset,
                              unsigned bits) const {
  llvm::Value* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), table_, offset);
  llvm::LoadInst* load =
      builder.CreateAlignedLoad(builder.getIntNTy(bits), place, llvm::Align(bits / 8));
  // Lets loads move across the memory clobbers of atomics, and use the read-only cache.
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(builder.getContext(), {}));
  return load;
}

}  // namespace egpu::codegen
