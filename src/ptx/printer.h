// A tree (ptx/ast.h) to PTX text.
#pragma once

#include <string>

#include "ptx/ast.h"

namespace egpu::ptx {

// The tokens are those that were parsed, edits aside; whitespace is the printer's own. Comments are
// dropped, except those inside parts the tree keeps as source text. Thread-safe.
std::string print(const Module& module);
std::string print(const Function& function);

}  // namespace egpu::ptx
