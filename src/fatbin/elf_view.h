// Bounded reading of little-endian ELF64 files: host programs (.nv_fatbin) and cubins alike.
#pragma once

#include <elf.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace egpu::fatbin {

// Longer than any name that is looked for. A bound, so that a crafted file cannot make reading it
// slow.
inline constexpr std::size_t kMaxSectionName = 64;

struct ElfSection {
  std::string_view name;  // empty where it lies outside the string table or exceeds kMaxSectionName
  Elf64_Shdr header;
  Bytes content;  // empty for SHT_NOBITS
};

struct ElfView {
  Elf64_Ehdr header;
  std::vector<ElfSection> sections;

  // The first section of that name, or nullptr.
  [[nodiscard]] const ElfSection* find(std::string_view name) const;
};

bool is_elf(Bytes bytes);

// Headers and sections; `file_untrusted` must outlive the result. A section whose content lies
// outside the file is an Error.
Result<ElfView> read_elf(Bytes file_untrusted);

}  // namespace egpu::fatbin
