#include "cli/emulator.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "cli/temporary_tree.h"

namespace egpu::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// An ELF file with a dynamic section and, where asked, a section of device code.
class Program {
 public:
  Program() { names_.push_back('\0'); }

  Program& entry(std::int64_t tag, const std::string& text) {
    Elf64_Dyn entry{};
    entry.d_tag = tag;
    entry.d_un.d_val = names_.size();
    names_ += text + '\0';
    dynamic_.push_back(entry);
    return *this;
  }
  Program& device_code() {
    has_device_code_ = true;
    return *this;
  }

  [[nodiscard]] std::vector<std::byte> bytes() const {
    std::string strings = names_;
    std::vector<Elf64_Shdr> headers(1);
    const auto section = [&](const char* name, Elf64_Word type) -> Elf64_Shdr& {
      headers.emplace_back().sh_name = static_cast<Elf64_Word>(strings.size());
      strings += std::string(name) + '\0';
      headers.back().sh_type = type;
      return headers.back();
    };
    section(".strings", SHT_STRTAB);
    section(".dynamic", SHT_DYNAMIC).sh_link = 1;
    if (has_device_code_) section(".nv_fatbin", SHT_PROGBITS);
    headers[1].sh_offset = sizeof(Elf64_Ehdr) + headers.size() * sizeof(Elf64_Shdr);
    headers[1].sh_size = strings.size();
    headers[2].sh_offset = headers[1].sh_offset + strings.size();
    headers[2].sh_size = dynamic_.size() * sizeof(Elf64_Dyn);

    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_machine = EM_X86_64;
    header.e_ehsize = sizeof header;
    header.e_shoff = sizeof header;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(headers.size());
    header.e_shstrndx = 1;

    std::vector<std::byte> file;
    const auto append = [&](const void* data, std::size_t size) {
      const auto* first = static_cast<const std::byte*>(data);
      file.insert(file.end(), first, first + size);
    };
    append(&header, sizeof header);
    append(headers.data(), headers.size() * sizeof(Elf64_Shdr));
    append(strings.data(), strings.size());
    append(dynamic_.data(), dynamic_.size() * sizeof(Elf64_Dyn));
    return file;
  }

 private:
  std::string names_;
  std::vector<Elf64_Dyn> dynamic_;
  bool has_device_code_ = false;
};

TEST(Emulator, IsMissingWhereItsDriverIs) {
  const TemporaryTree tree;
  const Installation installation{.executable = tree.root() / "bin/egpu"};
  const auto missing = check_emulator(installation);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().place, HasSubstr("lib/egpu/emulator/libcuda.so.1"));
  tree.add("lib/egpu/emulator/libcuda.so.1");
  EXPECT_TRUE(check_emulator(installation));
}

TEST(Emulator, ComesBeforeWhatTheUserAskedFor) {
  const Installation installation{.executable = "/opt/bin/egpu"};
  std::map<std::string, const char*> variables;
  const Machine machine{.root = "/", .architecture = {}, .environment = [&](const char* name) {
                          const auto found = variables.find(name);
                          return found == variables.end() ? nullptr : found->second;
                        }};
  EXPECT_THAT(emulator_environment(installation, machine),
              ElementsAre("LD_LIBRARY_PATH=/opt/lib/egpu/emulator"));
  variables["LD_LIBRARY_PATH"] = "/a:/b";
  EXPECT_THAT(emulator_environment(installation, machine),
              ElementsAre("LD_LIBRARY_PATH=/opt/lib/egpu/emulator:/a:/b"));
}

TEST(EmulationObstacles, AreNamed) {
  const auto linked_in = Program().entry(DT_NEEDED, "libc.so.6").device_code().bytes();
  EXPECT_THAT(emulation_obstacles(linked_in), ElementsAre(HasSubstr("-cudart shared")));
  const auto rpath = Program()
                         .entry(DT_NEEDED, "libcudart.so.13")
                         .entry(DT_RPATH, "/opt/cuda\x1b")
                         .device_code()
                         .bytes();
  EXPECT_THAT(emulation_obstacles(rpath), ElementsAre(HasSubstr("DT_RPATH (/opt/cuda\\x1b)")));
  const auto older = Program().entry(DT_NEEDED, "libcudart.so.12").device_code().bytes();
  EXPECT_THAT(emulation_obstacles(older), ElementsAre(HasSubstr("needs libcudart.so.12")));
}

TEST(EmulationObstacles, AreNoneForOtherPrograms) {
  EXPECT_THAT(emulation_obstacles(as_bytes("#!/bin/sh\n")), IsEmpty());
  EXPECT_THAT(emulation_obstacles(as_bytes("\x7f"
                                           "ELF")),
              IsEmpty());
  EXPECT_THAT(emulation_obstacles(Program().entry(DT_RPATH, "/opt/lib").bytes()), IsEmpty());
  const auto runpath = Program()
                           .entry(DT_NEEDED, "libcudart.so.13")
                           .entry(DT_RPATH, "/opt/cuda")
                           .entry(DT_RUNPATH, "/opt/cuda")
                           .device_code()
                           .bytes();
  EXPECT_THAT(emulation_obstacles(runpath), IsEmpty());
}

}  // namespace
}  // namespace egpu::cli
