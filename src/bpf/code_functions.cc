#include "bpf/code_functions.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "bpf/decode.h"
#include "bpf/identifier.h"

namespace egpu::bpf {
namespace {

// ".text", and ".text.NAME" where the compiler splits it.
bool holds_subprograms_alone(std::string_view section) {
  return section == ".text" || section.starts_with(".text.");
}

// The functions of section `index`, in order. `symbols`: those of its functions.
Result<std::vector<CodeFunction>> functions_of(const ElfFile& elf, std::uint32_t index,
                                               std::vector<ElfSymbol> symbols) {
  const ElfSection& section = elf.sections[index];
  const auto damaged = [&](std::string why) {
    return input_error(std::move(why))
        .at(fmt::format("section {}", section.name))
        .hint("the file is damaged: compile it again");
  };
  std::ranges::sort(symbols, {}, &ElfSymbol::value);
  std::vector<CodeFunction> functions;
  std::uint64_t end = 0;
  for (const ElfSymbol& symbol : symbols) {
    if (!is_identifier(symbol.name)) return damaged("a function has no proper name");
    if (symbol.value != end || symbol.size == 0 || symbol.size > section.size - end ||
        symbol.size % kSlotBytes != 0) {
      return damaged(fmt::format("function {} does not fit its section", symbol.name));
    }
    end += symbol.size;
    functions.push_back(
        {.name = std::string(symbol.name),
         .section = index,
         .first_slot = static_cast<std::uint32_t>(symbol.value / kSlotBytes),
         .slots = static_cast<std::uint32_t>(symbol.size / kSlotBytes),
         .is_program = symbol.binding != STB_LOCAL && !holds_subprograms_alone(section.name)});
  }
  if (end != section.size) return damaged("there is code that belongs to no function");
  return functions;
}

}  // namespace

bool is_code(const ElfSection& section) {
  return section.type == SHT_PROGBITS && (section.flags & SHF_EXECINSTR) != 0;
}

Result<CodeFunctions> CodeFunctions::read(const ElfFile& elf) {
  std::vector<std::vector<ElfSymbol>> symbols(elf.sections.size());
  for (const ElfSymbol& symbol : elf.symbols) {
    if (symbol.type == STT_FUNC && symbol.section < symbols.size()) {
      symbols[symbol.section].push_back(symbol);
    }
  }
  CodeFunctions result;
  for (std::uint32_t i = 0; i < elf.sections.size(); ++i) {
    if (!is_code(elf.sections[i])) continue;
    EGPU_ASSIGN(std::vector<CodeFunction> functions, functions_of(elf, i, std::move(symbols[i])));
    std::ranges::move(functions, std::back_inserter(result.functions_));
  }
  return result;
}

Result<std::uint32_t> CodeFunctions::beginning_at(std::uint32_t section, std::uint64_t byte) const {
  const auto position = [](const CodeFunction& function) {
    return std::tuple(function.section, std::uint64_t{function.first_slot} * kSlotBytes);
  };
  const auto after = std::ranges::upper_bound(functions_, std::tuple(section, byte), {}, position);
  if (after == functions_.begin()) return input_error("there is no function");
  const CodeFunction& function = *std::prev(after);
  const std::uint64_t first = std::uint64_t{function.first_slot} * kSlotBytes;
  if (function.section != section || byte - first >= std::uint64_t{function.slots} * kSlotBytes) {
    return input_error(fmt::format("offset {:#x} is outside the section", byte));
  }
  if (byte != first) {
    return input_error(
        fmt::format("offset {:#x} is in the middle of function {}", byte, function.name));
  }
  return static_cast<std::uint32_t>(std::prev(after) - functions_.begin());
}

}  // namespace egpu::bpf
