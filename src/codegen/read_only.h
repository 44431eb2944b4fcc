// Sections that programs only read, as constants of the generated module: the optimiser makes
// numbers of what is read at constant offsets, so that code behind a setting that is off vanishes.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>

#include "base/result.h"
#include "bpf/object.h"

namespace egpu::codegen {

// The number (i64) that a register holds for byte `offset` of Object::read_only[section]: an
// address of the generic space. The section becomes the variable egpu_read_only_SECTION in
// `address_space` when it is first asked for.
Result<llvm::Value*> read_only_address(llvm::IRBuilder<>& builder, const bpf::Object& object,
                                       std::uint32_t section, std::uint64_t offset,
                                       unsigned address_space);

}  // namespace egpu::codegen
