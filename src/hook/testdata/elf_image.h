// Builds shared libraries in memory, for tests and fuzzers of code that reads them.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace egpu::hook {

struct ImageFunction {
  std::string name;
  Bytes code;
};

// A shared object that exports `functions`, 16-byte aligned in one executable segment, followed by
// `padding` bytes that belong to nothing.
inline std::vector<std::byte> build_library(const std::vector<ImageFunction>& functions,
                                            std::size_t padding = 0) {
  constexpr std::uint64_t kCodeAt = 0x1000;
  constexpr std::uint64_t kAlignment = 16;
  std::vector<std::byte> file(kCodeAt);
  const auto append = [&](const void* bytes, std::size_t size) {
    const auto* const first = static_cast<const std::byte*>(bytes);
    file.insert(file.end(), first, first + size);
  };

  std::vector<Elf64_Sym> symbols(1);
  std::string names(1, '\0');
  for (const auto& function : functions) {
    file.resize((file.size() + kAlignment - 1) / kAlignment * kAlignment);
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(names.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = 1;
    symbol.st_value = file.size();
    symbol.st_size = function.code.size();
    symbols.push_back(symbol);
    names += function.name + '\0';
    append(function.code.data(), function.code.size());
  }
  const std::uint64_t code_size = file.size() - kCodeAt;
  file.resize((file.size() + padding + kAlignment - 1) / kAlignment * kAlignment);

  Elf64_Shdr sections[3] = {};
  sections[1].sh_type = SHT_DYNSYM;
  sections[1].sh_offset = file.size();
  sections[1].sh_size = symbols.size() * sizeof(Elf64_Sym);
  sections[1].sh_link = 2;
  append(symbols.data(), sections[1].sh_size);
  sections[2].sh_type = SHT_STRTAB;
  sections[2].sh_offset = file.size();
  sections[2].sh_size = names.size();
  append(names.data(), names.size());

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  header.e_shoff = file.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  append(sections, sizeof sections);

  Elf64_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_flags = PF_R | PF_X;
  segment.p_offset = segment.p_vaddr = kCodeAt;
  segment.p_filesz = segment.p_memsz = code_size;
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, &segment, sizeof segment);
  return file;
}

}  // namespace egpu::hook
