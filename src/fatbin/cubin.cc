#include "fatbin/cubin.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fatbin/elf_view.h"
#include "fatbin/fatbin.h"

namespace egpu::fatbin {
namespace {

using namespace std::string_view_literals;

// Since CUDA 13 (e_ident[EI_ABIVERSION] 8, was 7) the architecture is in bits 8-15 of e_flags;
// before it was in bits 0-7, and that of the PTX in bits 16-23. Source: llvm/BinaryFormat/ELF.h,
// EF_CUDA_SM, EF_CUDA_VIRTUAL_SM and EF_CUDA_SM_MASK; ptxas 13.0's output agrees.
constexpr std::uint8_t kAbiWithWideFlags = 8;

constexpr std::uint8_t kEntrySymbol = 0x10;  // st_other: STO_CUDA_ENTRY

// Names of all kernels together. Crafted symbols could share one long name and fill the memory.
constexpr std::size_t kMaxNameBytes = 64 << 20;

// .note.nv.cuinfo: ELF note "NVIDIA Corp" of type 1000 whose descriptor is this. ptxas 13.0's
// output for compute_80, compute_90 and compute_100f taken apart.
struct CuInfoNote {
  std::uint32_t name_size;
  std::uint32_t descriptor_size;
  std::uint32_t type;
  char name[12];
  std::uint16_t version;
  std::uint16_t virtual_architecture;
  std::uint32_t tool_version;  // 130: CUDA 13.0
};
static_assert(sizeof(CuInfoNote) == 32);
constexpr std::uint32_t kCuInfoType = 1000;
constexpr std::string_view kCuInfoName = "NVIDIA Corp\0"sv;

bool is_cu_info(const CuInfoNote& note) {
  return note.type == kCuInfoType && note.name_size == kCuInfoName.size() &&
         std::string_view(note.name, sizeof note.name) == kCuInfoName && note.descriptor_size >= 4;
}

bool is_kernel(const Elf64_Sym& symbol) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && (symbol.st_other & kEntrySymbol) != 0 &&
         symbol.st_shndx != SHN_UNDEF;
}

bool has_wide_flags(const Elf64_Ehdr& header) {
  return header.e_ident[EI_ABIVERSION] >= kAbiWithWideFlags;
}

Result<ElfView> read_cubin(Bytes cubin) {
  EGPU_TRY(read_cubin_header(cubin));
  return read_elf(cubin);
}

}  // namespace

Result<CubinHeader> read_cubin_header(Bytes start) {
  static_assert(kCubinHeaderBytes == sizeof(Elf64_Ehdr));
  const auto header = read_at<Elf64_Ehdr>(start, 0);
  if (!header || !is_elf(start)) return input_error("not an ELF file, or shorter than its header");
  if (header->e_machine != kCudaMachine || header->e_ident[EI_CLASS] != ELFCLASS64)
    return input_error(
               fmt::format("an ELF file for machine {}, not a 64-bit cubin", header->e_machine))
        .hint("give a cubin, a fatbin or PTX");
  const std::uint32_t shift = has_wide_flags(*header) ? 8 : 0;
  return CubinHeader{(header->e_flags >> shift) & 0xff, header->e_type == ET_REL};
}

Result<std::uint32_t> virtual_architecture(Bytes cubin) {
  EGPU_ASSIGN(const ElfView elf, read_cubin(cubin));
  const ElfSection* section = elf.find(".note.nv.cuinfo");
  if (section == nullptr) {
    if (has_wide_flags(elf.header))
      return input_error("the cubin does not say which PTX it was made from");
    return (elf.header.e_flags >> 16) & 0xff;
  }
  const auto note = read_at<CuInfoNote>(section->content, 0);
  if (!note || !is_cu_info(*note)) return input_error("the cubin's .note.nv.cuinfo is damaged");
  return note->virtual_architecture;
}

Result<std::vector<std::string>> cubin_kernels(Bytes cubin) {
  EGPU_ASSIGN(const ElfView elf, read_cubin(cubin));
  std::vector<std::string> kernels;
  const auto table =
      std::ranges::find(elf.sections, Elf64_Word{SHT_SYMTAB},
                        [](const ElfSection& section) { return section.header.sh_type; });
  if (table == elf.sections.end()) return kernels;
  if (table->header.sh_link >= elf.sections.size())
    return input_error("the cubin's symbol table names no string table");
  const Bytes names = elf.sections[table->header.sh_link].content;

  std::size_t name_bytes = 0;
  for (std::size_t at = 0; const auto symbol = read_at<Elf64_Sym>(table->content, at);
       at += sizeof(Elf64_Sym)) {
    if (!is_kernel(*symbol)) continue;
    const auto name = c_string_at(names, symbol->st_name);
    if (!name || name->empty())
      return input_error(
          fmt::format("kernel symbol {} of the cubin has no name", at / sizeof(Elf64_Sym)));
    name_bytes += name->size();
    if (name_bytes > kMaxNameBytes)
      return input_error("the cubin's kernel names take more than 64 MiB");
    kernels.emplace_back(*name);
  }
  return kernels;
}

}  // namespace egpu::fatbin
