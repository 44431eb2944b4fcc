#include "cuda/image_size.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "abi/fatbin_wrapper.h"
#include "abi/protocol.h"

namespace egpu::cuda {
namespace {

template <class T>
T read(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::size_t plausible(std::uint64_t size) { return size <= abi::kMaxImageBytes ? size : 0; }

std::size_t fatbin_size(const void* image) {
  return plausible(abi::fatbin_bytes(read<abi::FatbinHeader>(image)));
}

// An ELF file says nowhere how long it is: the end of its last part.
std::size_t elf_size(const void* image) {
  const auto* bytes = static_cast<const char*>(image);
  if (bytes[EI_CLASS] != ELFCLASS64) return 0;
  const auto header = read<Elf64_Ehdr>(image);
  if (header.e_shoff > abi::kMaxImageBytes || header.e_phoff > abi::kMaxImageBytes) return 0;
  if (header.e_shnum > 0 && header.e_shentsize != sizeof(Elf64_Shdr)) return 0;
  std::uint64_t end = std::max<std::uint64_t>(
      {header.e_ehsize, header.e_shoff + std::uint64_t{header.e_shnum} * header.e_shentsize,
       header.e_phoff + std::uint64_t{header.e_phnum} * header.e_phentsize});
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto section = read<Elf64_Shdr>(bytes + header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type == SHT_NOBITS) continue;
    if (section.sh_offset > abi::kMaxImageBytes || section.sh_size > abi::kMaxImageBytes) return 0;
    end = std::max(end, section.sh_offset + section.sh_size);
  }
  return plausible(end);
}

char first_byte(std::uint32_t magic) { return static_cast<char>(magic & 0xff); }

// PTX text starts with a directive, a comment or white space (PTX ISA, "Source Format").
bool starts_like_ptx(char first) {
  return first == '.' || first == '/' || first == ' ' || first == '\n' || first == '\t' ||
         first == '\r';
}

}  // namespace

Image measure_image(const void* image) {
  if (image == nullptr) return {};
  const char first = *static_cast<const char*>(image);
  if (starts_like_ptx(first))
    return {image, plausible(std::strlen(static_cast<const char*>(image)))};
  if (first == ELFMAG[0]) {
    // Byte by byte: a short string that is no ELF file may end anywhere.
    return {image, std::strncmp(static_cast<const char*>(image), ELFMAG, SELFMAG) == 0
                       ? elf_size(image)
                       : 0};
  }
  // Only then are there four bytes to read.
  if (first != first_byte(abi::kFatbinMagic) && first != first_byte(abi::kFatbinWrapperMagic))
    return {};
  const auto magic = read<std::uint32_t>(image);
  if (magic == abi::kFatbinMagic) return {image, fatbin_size(image)};
  if (magic != abi::kFatbinWrapperMagic) return {};
  const auto wrapper = read<abi::FatbinWrapper>(image);
  if (wrapper.version != abi::kFatbinWrapperPlain &&
      wrapper.version != abi::kFatbinWrapperPrelinked)
    return {};
  const auto* data =
      reinterpret_cast<const void*>(wrapper.data);  // NOLINT(performance-no-int-to-ptr)
  if (data == nullptr || read<std::uint32_t>(data) != abi::kFatbinMagic) return {};
  return {data, fatbin_size(data)};
}

}  // namespace egpu::cuda
