// PTX text to a tree (ptx/ast.h).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ptx/ast.h"

namespace egpu::ptx {

// `name` stands in errors: "NAME:line:column: expected ..., found ...". The text is copied once
// into the module. Time and memory are linear in its size; nesting of blocks is bounded. Checks
// only what it needs for the tree: names, types and operands are ptxas's business. Thread-safe.
Result<Module> parse(std::string_view text_untrusted, std::string name);

}  // namespace egpu::ptx
