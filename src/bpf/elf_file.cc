#include "bpf/elf_file.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace egpu::bpf {
namespace {

Error damaged(std::string what) {
  return input_error(std::move(what))
      .at("ELF header")
      .hint("compile the program with clang -target bpf -O2 -g -c");
}

Error damaged_section(std::size_t index, std::string_view what) {
  return input_error(fmt::format("section {} {}", index, what))
      .at("ELF section table")
      .hint("the file is cut off or damaged: compile it again");
}

Result<Elf64_Ehdr> read_header(Bytes file) {
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
    return damaged("this is not an ELF file");
  }
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_BPF) {
    return damaged("this ELF file is not for eBPF");
  }
  if (header->e_ident[EI_DATA] != ELFDATA2LSB) {
    return damaged("big-endian eBPF is not supported");
  }
  if (header->e_type != ET_REL) return damaged("this ELF file is not relocatable");
  if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shnum == 0) {
    return damaged("the section table is damaged");
  }
  return *header;
}

Result<std::vector<ElfSection>> read_sections(Bytes file, const Elf64_Ehdr& header) {
  std::vector<Elf64_Shdr> raw_sections;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    if (header.e_shoff > file.size()) return damaged("the section table is outside the file");
    const auto raw = read_at<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (!raw) return damaged("the section table is cut off");
    raw_sections.push_back(*raw);
  }
  std::vector<ElfSection> sections;
  for (std::size_t i = 0; i < raw_sections.size(); ++i) {
    const Elf64_Shdr& raw = raw_sections[i];
    const bool has_data = raw.sh_type != SHT_NOBITS && raw.sh_type != SHT_NULL;
    const auto data = slice(file, has_data ? raw.sh_offset : 0, has_data ? raw.sh_size : 0);
    if (!data) return damaged_section(i, "lies outside the file");
    sections.push_back({{},
                        raw.sh_type,
                        raw.sh_flags,
                        raw.sh_link,
                        raw.sh_info,
                        *data,
                        raw.sh_size,
                        raw.sh_addralign});
  }
  if (header.e_shstrndx >= sections.size()) return damaged("there is no table of section names");
  for (std::size_t i = 1; i < sections.size(); ++i) {
    const auto name = c_string_at(sections[header.e_shstrndx].data, raw_sections[i].sh_name);
    if (!name) return damaged_section(i, "has no name");
    sections[i].name = *name;
  }
  return sections;
}

Result<std::vector<ElfSymbol>> read_symbols(const std::vector<ElfSection>& sections,
                                            const ElfSection& table) {
  if (table.link >= sections.size()) return damaged("the symbol table has no names");
  const Bytes names = sections[table.link].data;
  std::vector<ElfSymbol> symbols;
  for (std::uint64_t offset = 0; offset < table.data.size(); offset += sizeof(Elf64_Sym)) {
    const auto raw = read_at<Elf64_Sym>(table.data, offset);
    if (!raw) return damaged("the symbol table is cut off");
    const auto name = c_string_at(names, raw->st_name);
    const bool special = raw->st_shndx >= SHN_LORESERVE;
    if (!name || raw->st_shndx == SHN_XINDEX || (!special && raw->st_shndx >= sections.size())) {
      return damaged(fmt::format("symbol {} is damaged", symbols.size()));
    }
    symbols.push_back({*name, static_cast<std::uint8_t>(ELF64_ST_TYPE(raw->st_info)),
                       static_cast<std::uint8_t>(ELF64_ST_BIND(raw->st_info)), raw->st_shndx,
                       raw->st_value, raw->st_size});
  }
  return symbols;
}

}  // namespace

Result<ElfFile> ElfFile::parse(Bytes file_untrusted) {
  EGPU_ASSIGN(const Elf64_Ehdr header, read_header(file_untrusted));
  ElfFile file;
  EGPU_ASSIGN(file.sections, read_sections(file_untrusted, header));
  const auto table = std::ranges::find(file.sections, std::uint32_t{SHT_SYMTAB}, &ElfSection::type);
  if (table == file.sections.end()) return damaged("there is no symbol table");
  EGPU_ASSIGN(file.symbols, read_symbols(file.sections, *table));
  return file;
}

const ElfSection* ElfFile::find_section(std::string_view name) const {
  const auto found = std::ranges::find(sections, name, &ElfSection::name);
  return found == sections.end() ? nullptr : &*found;
}

Result<std::vector<ElfRelocation>> ElfFile::relocations_of(std::size_t index) const {
  std::vector<ElfRelocation> relocations;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const ElfSection& table = sections[i];
    if (table.info != index) continue;
    if (table.type == SHT_RELA) return damaged_section(i, "holds relocations of an unknown form");
    if (table.type != SHT_REL) continue;
    for (std::uint64_t offset = 0; offset < table.data.size(); offset += sizeof(Elf64_Rel)) {
      const auto raw = read_at<Elf64_Rel>(table.data, offset);
      if (!raw || ELF64_R_SYM(raw->r_info) >= symbols.size()) {
        return damaged_section(i, "holds a damaged relocation");
      }
      relocations.push_back({raw->r_offset, static_cast<std::uint32_t>(ELF64_R_TYPE(raw->r_info)),
                             static_cast<std::uint32_t>(ELF64_R_SYM(raw->r_info))});
    }
  }
  std::ranges::sort(relocations, {}, &ElfRelocation::offset);
  return relocations;
}

}  // namespace egpu::bpf
