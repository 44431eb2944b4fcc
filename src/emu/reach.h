// What a kernel may use: the functions it may call, and the shared memory of all of them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "emu/symbols.h"
#include "ptx/ast.h"

namespace egpu::emu {

struct Reach {
  std::vector<const ptx::Function*> functions;  // with bodies; the kernel itself first
  std::unordered_map<const ptx::Declarator*, std::uint32_t> shared;  // offset of each variable
  std::uint32_t static_shared_bytes = 0;
};

// Fails where a variable's size cannot be told.
Result<Reach> reach_of(const ptx::Function& kernel, const Symbols& symbols,
                       const ptx::Module& module);

}  // namespace egpu::emu
