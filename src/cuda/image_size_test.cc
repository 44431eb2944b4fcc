#include "cuda/image_size.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "abi/fatbin_wrapper.h"

namespace egpu::cuda {
namespace {

std::string fatbin(std::uint64_t body) {
  const abi::FatbinHeader header{.magic = abi::kFatbinMagic,
                                 .version = abi::kFatbinVersion,
                                 .header_size = sizeof(abi::FatbinHeader),
                                 .size = body};
  std::string bytes(sizeof header, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

// A header, one section of 32 bytes at 64, an empty one that takes no room in the file, the section
// table.
std::string cubin() {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 2;
  header.e_shoff = 96;
  Elf64_Shdr sections[2] = {};
  sections[0].sh_type = SHT_PROGBITS;
  sections[0].sh_offset = 64;
  sections[0].sh_size = 32;
  sections[1].sh_type = SHT_NOBITS;
  sections[1].sh_offset = 64;
  sections[1].sh_size = 1 << 20;
  std::string bytes(96 + sizeof sections, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + 96, sections, sizeof sections);
  return bytes;
}

TEST(ImageSize, PtxTextEndsAtItsTerminator) {
  const char text[] = "\n// comment\n.version 8.0\n";
  const Image image = measure_image(text);
  EXPECT_EQ(image.data, text);
  EXPECT_EQ(image.size, sizeof text - 1);
}

TEST(ImageSize, FatbinIsHeaderAndEntries) {
  const std::string bytes = fatbin(1000);
  EXPECT_EQ(measure_image(bytes.data()).size, 1016u);
}

TEST(ImageSize, WrapperLeadsToItsFatbin) {
  const std::string bytes = fatbin(48);
  for (const std::uint32_t version : {1u, 2u}) {
    const abi::FatbinWrapper wrapper{.magic = abi::kFatbinWrapperMagic,
                                     .version = version,
                                     .data = reinterpret_cast<std::uintptr_t>(bytes.data()),
                                     .other = 0};
    const Image image = measure_image(&wrapper);
    EXPECT_EQ(image.data, bytes.data());
    EXPECT_EQ(image.size, 64u);
  }
}

TEST(ImageSize, CubinEndsWithItsLastPart) {
  const std::string bytes = cubin();
  EXPECT_EQ(measure_image(bytes.data()).size, bytes.size());
}

TEST(ImageSize, WhatIsNotRecognisedHasNone) {
  EXPECT_EQ(measure_image(nullptr).size, 0u);
  EXPECT_EQ(measure_image("").size, 0u);
  EXPECT_EQ(measure_image("x").size, 0u);
  EXPECT_EQ(measure_image("\x7f"
                          "E")
                .size,
            0u);
  EXPECT_EQ(measure_image(fatbin(std::uint64_t{1} << 60).data()).size, 0u);
  const abi::FatbinWrapper unknown{
      .magic = abi::kFatbinWrapperMagic, .version = 3, .data = 1, .other = 0};
  EXPECT_EQ(measure_image(&unknown).size, 0u);
}

}  // namespace
}  // namespace egpu::cuda
