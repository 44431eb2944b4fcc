#include "emu/variables.h"

#include <fmt/format.h>

#include <span>

#include "emu/initialiser.h"

namespace egpu::emu {

ModuleVariables::~ModuleVariables() {
  for (const auto& [name, variable] : variables_) memory_.release(variable.address);
}

const Variable* ModuleVariables::find(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : &found->second;
}

// Addresses first, for initial values may name variables that come later.
Result<void> ModuleVariables::load(const ptx::Module& module, Symbols& symbols) {
  for (const ptx::Item& item : module.items)
    if (const auto* declaration = std::get_if<ptx::Declaration>(&item))
      for (const ptx::Declarator& declarator : declaration->declarators)
        EGPU_TRY(add(module, *declaration, declarator, symbols));
  for (const auto& [name, symbol] : symbols.variables) {
    if (symbol.declarator->initialiser.empty()) continue;
    const bool shared = symbol.space == SymbolSpace::kShared;
    if (shared || symbol.declaration->has(".extern"))
      return input_error(fmt::format("{} variable {} has an initial value",
                                     shared ? "shared" : "external", name))
          .at(module.place(name));
    auto* const first = reinterpret_cast<std::byte*>(symbol.address);  // NOLINT
    EGPU_TRY(initialise(*symbol.declaration, *symbol.declarator, symbols, module,
                        std::span(first, variables_.at(name).bytes)));
  }
  return {};
}

Result<void> ModuleVariables::add(const ptx::Module& module, const ptx::Declaration& declaration,
                                  const ptx::Declarator& declarator, Symbols& symbols) {
  const auto refuse = [&](std::string_view reason) {
    return input_error(fmt::format("variable {} {}", declarator.name, reason))
        .at(module.place(declarator.name));
  };
  ModuleVariable symbol{.declaration = &declaration, .declarator = &declarator};
  if (declaration.has(".shared")) {
    symbol.space = SymbolSpace::kShared;
  } else if (declaration.has(".const")) {
    symbol.space = SymbolSpace::kConst;
  } else if (!declaration.has(".global")) {
    return refuse(
        fmt::format("is of a kind the emulator does not know: {}", declaration.specifiers));
  }
  const auto known = symbols.variables.find(declarator.name);
  if (known != symbols.variables.end()) {
    // Declared before it is defined.
    if (declaration.has(".extern")) return {};
    if (!known->second.declaration->has(".extern")) return refuse("is defined twice");
  }
  if (symbol.space != SymbolSpace::kShared && !declaration.has(".extern")) {
    const auto extent = extent_with_value(declaration, declarator);
    if (!extent) return refuse("has a size or type the emulator does not know");
    symbol.address = memory_.allocate(extent->bytes);
    if (symbol.address == 0) return refuse("does not fit into memory");
    variables_[declarator.name] = {symbol.address, extent->bytes};
  }
  symbols.variables[declarator.name] = symbol;
  return {};
}

}  // namespace egpu::emu
