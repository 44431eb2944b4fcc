// What code is generated for, and the device runtime in that shape.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>

#include "base/result.h"

namespace egpu::codegen {

// NVPTX, 64 bit, sm_70 (the oldest whose memory model has ordering and scope), PTX 6.3
// (activemask). The application's module, into which the result is spliced, keeps its own, newer
// ones.
Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine();

// A module with the device runtime in it, every function internal; programs are added to it.
Result<std::unique_ptr<llvm::Module>> load_device_runtime(llvm::LLVMContext& context,
                                                          const llvm::TargetMachine& machine);

}  // namespace egpu::codegen
