// Makes the hook plan from the library's file (method: hook/plan.h). The one place besides
// src/codegen that uses LLVM: its disassembler.
#pragma once

#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "hook/plan.h"

namespace egpu::hook {

// One plan per name, in order; a function that is missing or does not fit has a reason. Fails only
// where the file is no x86-64 ELF shared object. Thread-safe.
Result<std::vector<FunctionPlan>> plan_hooks(Bytes library_file_untrusted,
                                             const std::vector<std::string_view>& functions);

}  // namespace egpu::hook
