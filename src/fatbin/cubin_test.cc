#include "fatbin/cubin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fatbin/fatbin.h"
#include "fatbin/test_images.h"

namespace egpu::fatbin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CubinKernels, AreTheEntrySymbolsInOrder) {
  const std::string file = cubin({.kernels = {"zeta", "_Z5alphaPf"}});
  const auto kernels = cubin_kernels(as_bytes(file));
  ASSERT_TRUE(kernels) << to_string(kernels.error());
  EXPECT_THAT(*kernels, ElementsAre("zeta", "_Z5alphaPf"));
}

TEST(CubinKernels, RefusesOtherFiles) {
  const std::string host = host_program({});
  const auto kernels = cubin_kernels(as_bytes(host));
  ASSERT_FALSE(kernels);
  EXPECT_THAT(kernels.error().message, HasSubstr("machine 62"));
  EXPECT_FALSE(cubin_kernels({}));
}

TEST(CubinKernels, RefusesADamagedSymbolTable) {
  Elf64_Ehdr header{};
  header.e_machine = kCudaMachine;
  std::string symbol;
  append(symbol, Elf64_Sym{.st_name = 99,
                           .st_info = STT_FUNC,
                           .st_other = 0x10,
                           .st_shndx = 1,
                           .st_value = 0,
                           .st_size = 0});
  const auto kernels_of = [&](std::uint32_t link) {
    const std::string file = elf_file(
        header, {{.name = ".symtab", .type = SHT_SYMTAB, .content = symbol, .link = link}});
    const auto kernels = cubin_kernels(as_bytes(file));
    return kernels ? "accepted" : kernels.error().message;
  };
  EXPECT_THAT(kernels_of(77), HasSubstr("names no string table"));
  EXPECT_THAT(kernels_of(2), HasSubstr("kernel symbol 0 of the cubin has no name"));
}

TEST(CubinKernels, CraftedNamesDoNotFillTheMemory) {
  Elf64_Ehdr header{};
  header.e_machine = kCudaMachine;
  std::string symbols;
  for (Elf64_Word i = 0; i < 100; ++i)
    append(symbols, Elf64_Sym{.st_name = i,
                              .st_info = STT_FUNC,
                              .st_other = 0x10,
                              .st_shndx = 1,
                              .st_value = 0,
                              .st_size = 0});
  const std::string names(1 << 20, 'x');
  const std::string file =
      elf_file(header, {{.name = ".strtab", .type = SHT_STRTAB, .content = names + '\0'},
                        {.name = ".symtab", .type = SHT_SYMTAB, .content = symbols, .link = 1}});
  const auto kernels = cubin_kernels(as_bytes(file));
  ASSERT_FALSE(kernels);
  EXPECT_THAT(kernels.error().message, HasSubstr("more than 64 MiB"));
}

TEST(CubinKernels, EveryTruncationIsRefused) {
  const std::string file = cubin({});
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(cubin_kernels(as_bytes(file).first(size))) << size;
}

TEST(VirtualArchitecture, ComesFromTheNoteOrTheOlderFlags) {
  const std::string current = cubin({.architecture = 90, .source_architecture = 80});
  EXPECT_EQ(virtual_architecture(as_bytes(current)), 80u);
  const std::string older =
      cubin({.architecture = 86, .source_architecture = 75, .before_cuda_13 = true});
  EXPECT_EQ(virtual_architecture(as_bytes(older)), 75u);
  const std::string silent = cubin({.source_architecture = 0});
  EXPECT_FALSE(virtual_architecture(as_bytes(silent)));
}

TEST(VirtualArchitecture, RefusesADamagedNote) {
  std::string file = cubin({});
  file.replace(file.find("NVIDIA"), 6, "nvidia");
  const auto architecture = virtual_architecture(as_bytes(file));
  ASSERT_FALSE(architecture);
  EXPECT_THAT(architecture.error().message, HasSubstr("damaged"));
}

}  // namespace
}  // namespace egpu::fatbin
