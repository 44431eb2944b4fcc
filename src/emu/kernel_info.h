// What launches of a kernel need, read from its declaration.
#pragma once

#include "base/result.h"
#include "emu/module.h"
#include "emu/reach.h"

namespace egpu::emu {

Result<KernelInfo> kernel_info(const ptx::Function& kernel, const Reach& reach,
                               const ptx::Module& module);

}  // namespace egpu::emu
