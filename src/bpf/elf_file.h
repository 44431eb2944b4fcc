// A bounded reader of relocatable ELF-64 files. Everything it hands out points into the bytes it
// was given and lies inside them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace egpu::bpf {

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;  // SHT_*
  std::uint64_t flags = 0;
  std::uint32_t link = 0;  // of a symbol table: the section of its names
  std::uint32_t info = 0;  // of a relocation table: the section it applies to
  Bytes data;              // empty for SHT_NOBITS
  std::uint64_t size = 0;
  std::uint64_t alignment = 0;  // as the file says it: not checked
};

struct ElfSymbol {
  std::string_view name;
  std::uint8_t type = 0;  // STT_*
  std::uint8_t binding = 0;
  std::uint16_t section = 0;  // SHN_UNDEF: external
  std::uint64_t value = 0;    // in a relocatable file: offset in the section
  std::uint64_t size = 0;
};

struct ElfRelocation {
  std::uint64_t offset = 0;  // in the section it applies to
  std::uint32_t type = 0;
  std::uint32_t symbol = 0;  // exists in ElfFile::symbols
};

struct ElfFile {
  std::vector<ElfSection> sections;  // index 0 is the empty one
  std::vector<ElfSymbol> symbols;

  // A little-endian relocatable file for eBPF, else an Error that says what it is.
  static Result<ElfFile> parse(Bytes file_untrusted);

  [[nodiscard]] const ElfSection* find_section(std::string_view name) const;

  // All relocations of section `index`, sorted by offset.
  [[nodiscard]] Result<std::vector<ElfRelocation>> relocations_of(std::size_t index) const;
};

}  // namespace egpu::bpf
