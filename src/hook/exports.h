// The exported functions of a shared library, read from its file.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace egpu::hook {

struct ExportedFunction {
  std::uint64_t address = 0;      // virtual address in the file
  std::uint64_t file_offset = 0;  // of its first instruction: what a uprobe is attached to
  Bytes code;                     // as long as its symbol says; a view of the file
};

// By name, each of `names` once: the function, or why there is none. Fails only where the file is
// no x86-64 ELF shared object with a dynamic symbol table. The code views `file_untrusted`, the
// keys view `names`.
using ExportedFunctions = std::unordered_map<std::string_view, Result<ExportedFunction>>;
Result<ExportedFunctions> find_exports(Bytes file_untrusted,
                                       const std::vector<std::string_view>& names);

}  // namespace egpu::hook
