// Names of a module: its variables and functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/ast.h"

namespace egpu::emu {

enum class SymbolSpace : std::uint8_t { kGlobal, kConst, kShared, kLocal };

struct ModuleVariable {
  SymbolSpace space = SymbolSpace::kGlobal;  // not kLocal
  const ptx::Declaration* declaration = nullptr;
  const ptx::Declarator* declarator = nullptr;
  // 0: of kShared, which each kernel lays out by itself, or not defined in this module.
  std::uint64_t address = 0;
};

struct ModuleFunction {
  const ptx::Function* function = nullptr;  // without a body where the module has none
  std::uint32_t index = 0;
};

// Function pointers: this and the function's index. No memory can lie there.
inline constexpr std::uint64_t kFunctionWindow = 0x0400'0000'0000'0000;
inline constexpr std::uint64_t kFunctionStep = 16;

struct Symbols {
  std::unordered_map<std::string_view, ModuleVariable> variables;
  std::unordered_map<std::string_view, ModuleFunction> functions;
};

inline std::uint64_t address_of(const ModuleFunction& function) {
  return kFunctionWindow + function.index * kFunctionStep;
}

}  // namespace egpu::emu
