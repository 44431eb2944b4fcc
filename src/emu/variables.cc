#include "emu/variables.h"

#include <fmt/format.h>

#include "emu/layout.h"

namespace egpu::emu {

ModuleVariables::~ModuleVariables() {
  for (const auto& [name, variable] : variables_) memory_.release(variable.address);
}

const Variable* ModuleVariables::find(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : &found->second;
}

Result<void> ModuleVariables::load(const ptx::Module& module, Symbols& symbols) {
  for (const ptx::Item& item : module.items) {
    const auto* const declaration = std::get_if<ptx::Declaration>(&item);
    if (declaration == nullptr) continue;
    for (const ptx::Declarator& declarator : declaration->declarators)
      EGPU_TRY(add(module, *declaration, declarator, symbols));
  }
  return {};
}

Result<void> ModuleVariables::add(const ptx::Module& module, const ptx::Declaration& declaration,
                                  const ptx::Declarator& declarator, Symbols& symbols) {
  ModuleVariable symbol{.declaration = &declaration, .declarator = &declarator};
  if (declaration.has(".shared")) {
    symbol.space = Space::kShared;
  } else if (declaration.has(".global") || declaration.has(".const")) {
    symbol.space = declaration.has(".const") ? Space::kConst : Space::kGlobal;
    const auto refuse = [&](std::string_view reason) {
      return input_error(fmt::format("variable {} {}", declarator.name, reason))
          .at(module.place(declarator.name));
    };
    const auto extent = extent_of(declaration, declarator);
    if (!extent) return refuse("has a size or type the emulator does not know");
    if (!declarator.initialiser.empty()) return refuse("has an initial value, which is not known");
    const std::uint64_t address = memory_.allocate(extent->bytes);
    if (address == 0) return refuse("does not fit into memory");
    symbol.address = address;
    variables_[declarator.name] = {address, extent->bytes};
  } else {
    return input_error(fmt::format("variables of {} are not known", declaration.specifiers))
        .at(module.place(declarator.name));
  }
  symbols.variables[declarator.name] = symbol;
  return {};
}

}  // namespace egpu::emu
