#include "fatbin/elf_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace egpu::fatbin {
namespace {

// More than 65,279 sections do not fit the header's own fields: section 0 holds the numbers then.
struct SectionTable {
  std::uint64_t count;
  std::uint64_t names_index;
};

Result<SectionTable> section_table(Bytes file, const Elf64_Ehdr& header) {
  SectionTable table{header.e_shnum, header.e_shstrndx};
  if (header.e_shoff == 0) return SectionTable{0, 0};
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    return input_error(fmt::format("ELF section headers of {} bytes", header.e_shentsize));
  const auto first = read_at<Elf64_Shdr>(file, header.e_shoff);
  if (!first) return input_error("the ELF section table lies outside the file");
  if (header.e_shnum == 0) table.count = first->sh_size;
  if (header.e_shstrndx == SHN_XINDEX) table.names_index = first->sh_link;
  if (table.count > (file.size() - header.e_shoff) / sizeof(Elf64_Shdr))
    return input_error("the ELF section table ends outside the file");
  return table;
}

std::string_view short_string_at(Bytes strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  const Bytes rest = strings.subspan(offset);
  return c_string_at(rest.first(std::min(rest.size(), kMaxSectionName + 1)), 0).value_or("");
}

}  // namespace

const ElfSection* ElfView::find(std::string_view name) const {
  for (const ElfSection& section : sections)
    if (section.name == name) return &section;
  return nullptr;
}

bool is_elf(Bytes bytes) {
  return bytes.size() >= SELFMAG && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
}

Result<ElfView> read_elf(Bytes file) {
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  if (!is_elf(file) || !header) return input_error("not an ELF file, or shorter than its header");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
    return input_error("an ELF file that is not 64-bit little-endian");
  EGPU_ASSIGN(const SectionTable table, section_table(file, *header));

  ElfView view{*header, {}};
  view.sections.reserve(table.count);
  for (std::uint64_t i = 0; i < table.count; ++i) {
    const auto section = read_at<Elf64_Shdr>(file, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return input_error("the ELF section table ends outside the file");
    Bytes content;
    if (section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL) {
      const auto bytes = slice(file, section->sh_offset, section->sh_size);
      if (!bytes) return input_error(fmt::format("ELF section {} lies outside the file", i));
      content = *bytes;
    }
    view.sections.push_back({{}, *section, content});
  }
  if (table.names_index < view.sections.size()) {
    const Bytes names = view.sections[table.names_index].content;
    for (ElfSection& section : view.sections)
      section.name = short_string_at(names, section.header.sh_name);
  }
  return view;
}

}  // namespace egpu::fatbin
