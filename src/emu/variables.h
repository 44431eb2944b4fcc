// The .global, .const and .shared variables of a module.
#pragma once

#include <map>
#include <string_view>

#include "base/result.h"
#include "emu/memory.h"
#include "emu/module.h"
#include "emu/symbols.h"
#include "ptx/ast.h"

namespace egpu::emu {

class ModuleVariables {
 public:
  explicit ModuleVariables(Memory& memory) : memory_(memory) {}
  ~ModuleVariables();
  ModuleVariables(const ModuleVariables&) = delete;
  ModuleVariables& operator=(const ModuleVariables&) = delete;

  // Gives each variable its memory and adds it to `symbols`, which has the functions already.
  Result<void> load(const ptx::Module& module, Symbols& symbols);

  const Variable* find(std::string_view name) const;

 private:
  Result<void> add(const ptx::Module& module, const ptx::Declaration& declaration,
                   const ptx::Declarator& declarator, Symbols& symbols);

  Memory& memory_;
  std::map<std::string_view, Variable> variables_;
};

}  // namespace egpu::emu
