// Fatbins, cubins and host ELF files built byte by byte from a readable description, for tests.
#pragma once

#include <elf.h>
#include <lz4.h>
#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "abi/fatbin_wrapper.h"
#include "fatbin/cubin.h"
#include "fatbin/fatbin.h"
#include "fatbin/layout.h"

namespace egpu::fatbin {

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline void pad_to(std::string& bytes, std::size_t multiple) {
  bytes.resize((bytes.size() + multiple - 1) / multiple * multiple, '\0');
}

inline std::string lz4(std::string_view content) {
  std::string packed(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(content.size()))),
                     '\0');
  packed.resize(static_cast<std::size_t>(LZ4_compress_default(content.data(), packed.data(),
                                                              static_cast<int>(content.size()),
                                                              static_cast<int>(packed.size()))));
  return packed;
}

inline std::string zstd(std::string_view content) {
  std::string packed(ZSTD_compressBound(content.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), content.data(), content.size(), 3));
  return packed;
}

// One fatbin entry; every field can be made to lie.
struct TestEntry {
  std::uint16_t kind = kPtxEntry;
  std::uint32_t architecture = 90;
  std::uint64_t flags = 0;
  std::string payload = {};
  std::uint64_t raw_size = 0;  // 0: stored uncompressed
  std::string options = {};
  std::uint16_t version = kEntryVersion;
  std::uint64_t payload_size_lie = 0;
  std::uint32_t header_size_lie = 0;
  std::uint32_t compressed_size_lie = 0;
};

inline TestEntry lz4_entry(TestEntry entry) {
  entry.flags |= kFlagLz4;
  entry.raw_size = entry.payload.size();
  entry.payload = lz4(entry.payload);
  return entry;
}

inline TestEntry zstd_entry(TestEntry entry) {
  entry.flags |= kFlagZstd;
  entry.raw_size = entry.payload.size();
  entry.payload = zstd(entry.payload);
  return entry;
}

inline std::string entry_bytes(const TestEntry& test) {
  std::string strings;
  if (!test.options.empty()) {
    append<std::uint32_t>(strings, sizeof(EntryHeader) + 8);
    append(strings, static_cast<std::uint32_t>(test.options.size()));
    strings += test.options;
    pad_to(strings, 8);
  }
  std::string payload = test.payload;
  pad_to(payload, 8);
  EntryHeader header{};
  header.kind = test.kind;
  header.version = test.version;
  header.header_size = static_cast<std::uint32_t>(sizeof header + strings.size());
  if (test.header_size_lie != 0) header.header_size = test.header_size_lie;
  header.payload_size = test.payload_size_lie != 0 ? test.payload_size_lie : payload.size();
  if (test.raw_size != 0) header.compressed_size = static_cast<std::uint32_t>(test.payload.size());
  if (test.compressed_size_lie != 0) header.compressed_size = test.compressed_size_lie;
  header.options_offset = strings.empty() ? 0 : sizeof header;
  header.architecture = test.architecture;
  header.flags = test.flags;
  header.raw_size = test.raw_size;
  std::string bytes;
  append(bytes, header);
  return bytes + strings + payload;
}

inline std::string region(const std::vector<TestEntry>& entries) {
  std::string content;
  for (const TestEntry& entry : entries) content += entry_bytes(entry);
  std::string bytes;
  append(bytes, abi::FatbinHeader{abi::kFatbinMagic, abi::kFatbinVersion, sizeof(abi::FatbinHeader),
                                  content.size()});
  return bytes + content;
}

struct TestSection {
  std::string name;
  std::uint32_t type = SHT_PROGBITS;
  std::string content = {};
  std::uint32_t link = 0;
};

// An ELF64 file: header, sections' contents, names, section table (section 0 is SHT_NULL).
inline std::string elf_file(Elf64_Ehdr header, const std::vector<TestSection>& sections) {
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  std::string content(sizeof header, '\0');
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> table(1);
  for (const TestSection& section : sections) {
    pad_to(content, 8);
    table.push_back({.sh_name = static_cast<Elf64_Word>(names.size()),
                     .sh_type = section.type,
                     .sh_flags = 0,
                     .sh_addr = 0,
                     .sh_offset = content.size(),
                     .sh_size = section.content.size(),
                     .sh_link = section.link,
                     .sh_info = 0,
                     .sh_addralign = 8,
                     .sh_entsize = 0});
    names += section.name + '\0';
    content += section.content;
  }
  table.push_back({.sh_name = 0,
                   .sh_type = SHT_STRTAB,
                   .sh_flags = 0,
                   .sh_addr = 0,
                   .sh_offset = content.size(),
                   .sh_size = names.size(),
                   .sh_link = 0,
                   .sh_info = 0,
                   .sh_addralign = 1,
                   .sh_entsize = 0});
  content += names;
  pad_to(content, 8);
  header.e_shoff = content.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(table.size());
  header.e_shstrndx = static_cast<Elf64_Half>(table.size() - 1);
  for (const Elf64_Shdr& section : table) append(content, section);
  std::memcpy(content.data(), &header, sizeof header);
  return content;
}

inline std::string host_program(const std::vector<TestSection>& sections) {
  Elf64_Ehdr header{};
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  return elf_file(header, sections);
}

struct TestCubin {
  std::uint32_t architecture = 90;
  std::uint32_t source_architecture = 90;  // 0: no note
  std::vector<std::string> kernels = {"vec_add"};
  bool relocatable = false;
  bool before_cuda_13 = false;  // architecture elsewhere in e_flags
};

inline std::string cubin(const TestCubin& test) {
  Elf64_Ehdr header{};
  header.e_machine = kCudaMachine;
  header.e_type = test.relocatable ? ET_REL : ET_EXEC;
  header.e_ident[EI_ABIVERSION] = test.before_cuda_13 ? 7 : 8;
  header.e_flags = test.before_cuda_13
                       ? test.architecture | (test.source_architecture << 16) | 0x500
                       : (test.architecture << 8) | 0x6000004;
  std::string names(1, '\0');
  std::string symbols(sizeof(Elf64_Sym), '\0');
  const auto add_symbol = [&](const std::string& name, unsigned char bind, unsigned char type,
                              unsigned char other) {
    append(symbols, Elf64_Sym{.st_name = static_cast<Elf64_Word>(names.size()),
                              .st_info = static_cast<unsigned char>(ELF64_ST_INFO(bind, type)),
                              .st_other = other,
                              .st_shndx = 1,
                              .st_value = 0,
                              .st_size = 128});
    names += name + '\0';
  };
  add_symbol("a_device_function", STB_GLOBAL, STT_FUNC, 0);
  add_symbol("a_variable", STB_GLOBAL, STT_OBJECT, 0);
  for (const std::string& kernel : test.kernels) add_symbol(kernel, STB_GLOBAL, STT_FUNC, 0x10);

  std::vector<TestSection> sections = {
      {.name = ".strtab", .type = SHT_STRTAB, .content = names, .link = 0},
      {.name = ".symtab", .type = SHT_SYMTAB, .content = symbols, .link = 1}};
  if (test.source_architecture != 0 && !test.before_cuda_13) {
    std::string note;
    append(note, std::uint32_t{12});
    append(note, std::uint32_t{8});
    append(note, std::uint32_t{1000});
    note += std::string("NVIDIA Corp\0", 12);
    append(note, std::uint16_t{2});
    append(note, static_cast<std::uint16_t>(test.source_architecture));
    append(note, std::uint32_t{130});
    sections.push_back({.name = ".note.nv.cuinfo", .type = SHT_NOTE, .content = note, .link = 0});
  }
  return elf_file(header, sections);
}

}  // namespace egpu::fatbin
