#include "hook/exports.h"

#include <elf.h>

#include <algorithm>

namespace egpu::hook {
namespace {

Result<Elf64_Ehdr> read_header(Bytes file) {
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
    return input_error("not an ELF file").hint("give the path of a shared library");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_machine != EM_X86_64)
    return input_error("not an x86-64 ELF file").hint("only x86-64 libraries can be hooked");
  if (header->e_type != ET_DYN)
    return input_error("not a shared object").hint("give the path of a shared library");
  if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_shentsize != sizeof(Elf64_Shdr))
    return input_error("unknown size of ELF header entries").at("offset 0x36");
  return *header;
}

struct SymbolTable {
  Bytes symbols;
  Bytes names;
};

std::optional<Elf64_Shdr> section_at(Bytes file, const Elf64_Ehdr& header, std::uint64_t index) {
  if (index >= header.e_shnum) return std::nullopt;
  const auto table =
      slice(file, header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  if (!table) return std::nullopt;
  return read_at<Elf64_Shdr>(*table, index * sizeof(Elf64_Shdr));
}

Result<SymbolTable> find_dynamic_symbols(Bytes file, const Elf64_Ehdr& header) {
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto section = section_at(file, header, i);
    if (!section) return input_error("section headers end outside the file").at("ELF header");
    if (section->sh_type != SHT_DYNSYM) continue;
    const auto symbols = slice(file, section->sh_offset, section->sh_size);
    const auto strings = section_at(file, header, section->sh_link);
    const auto names = strings ? slice(file, strings->sh_offset, strings->sh_size) : std::nullopt;
    if (!symbols || !names)
      return input_error("dynamic symbols end outside the file").at("section " + std::to_string(i));
    return SymbolTable{*symbols, *names};
  }
  return input_error("no dynamic symbol table")
      .hint("a library without section headers cannot be hooked");
}

// The code between the symbol's address and its end, which must lie in one executable segment of
// the file.
Result<ExportedFunction> locate(Bytes file, const Elf64_Ehdr& header, const Elf64_Sym& symbol) {
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    // A wrapping offset is no risk: whatever it reads is bounded, and checked in memory before it
    // is used.
    const auto segment = read_at<Elf64_Phdr>(file, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) return input_error("program headers end outside the file");
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0) continue;
    if (symbol.st_value < segment->p_vaddr) continue;
    const std::uint64_t inside = symbol.st_value - segment->p_vaddr;
    const auto image = slice(file, segment->p_offset, segment->p_filesz);
    if (!image) return input_error("a segment ends outside the file");
    if (const auto code = slice(*image, inside, symbol.st_size))
      return ExportedFunction{symbol.st_value, segment->p_offset + inside, *code};
  }
  return input_error("symbol lies in no executable segment");
}

bool is_exported(const Elf64_Sym& symbol) {
  const auto binding = ELF64_ST_BIND(symbol.st_info);
  return symbol.st_shndx != SHN_UNDEF && (binding == STB_GLOBAL || binding == STB_WEAK);
}

struct Match {
  std::optional<Elf64_Sym> symbol;
  bool ambiguous = false;
};

// What the symbol table says about each name.
std::unordered_map<std::string_view, Match> match_names(
    const SymbolTable& table, const std::vector<std::string_view>& names) {
  std::unordered_map<std::string_view, Match> matches;
  std::size_t longest = 0;
  for (const auto name : names) {
    matches.try_emplace(name);
    longest = std::max(longest, name.size());
  }
  for (std::uint64_t at = 0; const auto symbol = read_at<Elf64_Sym>(table.symbols, at);
       at += sizeof(Elf64_Sym)) {
    if (!is_exported(*symbol) || symbol->st_name >= table.names.size()) continue;
    // No further than the longest name that is looked for: a table without a NUL costs no quadratic
    // time.
    const Bytes rest = table.names.subspan(symbol->st_name);
    const auto name = c_string_at(rest.first(std::min(rest.size(), longest + 1)), 0);
    if (!name) continue;
    const auto match = matches.find(*name);
    if (match == matches.end()) continue;
    auto& [known, ambiguous] = match->second;
    ambiguous = ambiguous || (known && known->st_value != symbol->st_value);
    known = *symbol;
  }
  return matches;
}

Result<ExportedFunction> resolve(Bytes file, const Elf64_Ehdr& header, const Match& match) {
  if (!match.symbol) return input_error("symbol not exported");
  // Versions of one name: which of them a caller gets depends on what it was linked against.
  if (match.ambiguous) return input_error("symbol has several versions");
  if (ELF64_ST_TYPE(match.symbol->st_info) != STT_FUNC)
    return input_error("symbol is no plain function");
  if (match.symbol->st_size == 0) return input_error("symbol has no size");
  return locate(file, header, *match.symbol);
}

}  // namespace

Result<ExportedFunctions> find_exports(Bytes file_untrusted,
                                       const std::vector<std::string_view>& names) {
  EGPU_ASSIGN(const auto header, read_header(file_untrusted));
  EGPU_ASSIGN(const auto table, find_dynamic_symbols(file_untrusted, header));
  ExportedFunctions found;
  for (const auto& [name, match] : match_names(table, names))
    found.emplace(name, resolve(file_untrusted, header, match));
  return found;
}

}  // namespace egpu::hook
