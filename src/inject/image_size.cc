#include "inject/image_size.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace egpu::inject {
namespace {

// Layouts: fatbinary_section.h of CUDA 13.0 (wrapper); the fatbin header is the one cuobjdump reads.
constexpr std::uint32_t kWrapperMagic = 0x466243B1;
constexpr std::uint32_t kFatbinMagic = 0xBA55ED50;
struct FatbinWrapper {
  std::uint32_t magic;
  std::uint32_t version;  // 1, or 2 with a list of prelinked fatbins
  const void* data;
  const void* file_name_or_prelinked;
};
struct FatbinHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t body_bytes;
};

constexpr std::uint64_t kLargestImage = std::uint64_t{4} << 30;

template <class T>
T read(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::size_t plausible(std::uint64_t size) { return size <= kLargestImage ? size : 0; }

std::size_t fatbin_size(const void* image) {
  const auto header = read<FatbinHeader>(image);
  if (header.header_bytes < sizeof header || header.body_bytes > kLargestImage) return 0;
  return plausible(header.header_bytes + header.body_bytes);
}

// An ELF file says nowhere how long it is: the end of its last part.
std::size_t elf_size(const void* image) {
  const auto* bytes = static_cast<const char*>(image);
  if (bytes[EI_CLASS] != ELFCLASS64) return 0;
  const auto header = read<Elf64_Ehdr>(image);
  if (header.e_shoff > kLargestImage || header.e_phoff > kLargestImage) return 0;
  if (header.e_shnum > 0 && header.e_shentsize != sizeof(Elf64_Shdr)) return 0;
  std::uint64_t end = std::max<std::uint64_t>(
      {header.e_ehsize, header.e_shoff + std::uint64_t{header.e_shnum} * header.e_shentsize,
       header.e_phoff + std::uint64_t{header.e_phnum} * header.e_phentsize});
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto section = read<Elf64_Shdr>(bytes + header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type == SHT_NOBITS) continue;
    if (section.sh_offset > kLargestImage || section.sh_size > kLargestImage) return 0;
    end = std::max(end, section.sh_offset + section.sh_size);
  }
  return plausible(end);
}

char first_byte(std::uint32_t magic) { return static_cast<char>(magic & 0xff); }

// PTX text starts with a directive, a comment or white space (PTX ISA, "Source Format").
bool starts_like_ptx(char first) {
  return first == '.' || first == '/' || first == ' ' || first == '\n' || first == '\t' || first == '\r';
}

}  // namespace

Image measure_image(const void* image) {
  if (image == nullptr) return {};
  const char first = *static_cast<const char*>(image);
  if (starts_like_ptx(first)) return {image, plausible(std::strlen(static_cast<const char*>(image)))};
  if (first == ELFMAG[0]) {
    // Byte by byte: a short string that is no ELF file may end anywhere.
    return {image, std::strncmp(static_cast<const char*>(image), ELFMAG, SELFMAG) == 0 ? elf_size(image) : 0};
  }
  // Only then are there four bytes to read.
  if (first != first_byte(kFatbinMagic) && first != first_byte(kWrapperMagic)) return {};
  const auto magic = read<std::uint32_t>(image);
  if (magic == kFatbinMagic) return {image, fatbin_size(image)};
  if (magic != kWrapperMagic) return {};
  const auto wrapper = read<FatbinWrapper>(image);
  if ((wrapper.version != 1 && wrapper.version != 2) || wrapper.data == nullptr) return {};
  if (read<std::uint32_t>(wrapper.data) != kFatbinMagic) return {};
  return {wrapper.data, fatbin_size(wrapper.data)};
}

}  // namespace egpu::inject
