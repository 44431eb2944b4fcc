// Which threads a program fires in, by the granularity and the sample of its attach point.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>

#include "base/result.h"
#include "bpf/object.h"

namespace egpu::codegen {

// Whether restrict_firing() needs the lanes that come together.
bool needs_active_mask(const bpf::AttachPoint& attach);

// Lets `probe` return at the end of its first block, before the program's first instruction, in
// threads that the program does not fire in. `active_mask`: as read at the start, or null where it
// is not needed. `place`: the program's number in its module.
Result<void> restrict_firing(llvm::Function& probe, const bpf::AttachPoint& attach,
                             llvm::Value* active_mask, std::uint32_t place);

}  // namespace egpu::codegen
