// Objects that no compiler writes: real ones with single fields changed. Each is refused with its
// place.
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "bpf/elf_file.h"
#include "bpf/encoding.h"
#include "bpf/object.h"

namespace egpu::bpf {
namespace {

using ::testing::HasSubstr;

// An object of tests/programs/linking, to be damaged.
class Patched {
 public:
  explicit Patched(const std::string& name) {
    const auto bytes = read_file(std::filesystem::path(EGPU_BINARY_DIR) / "tests/programs/linking" /
                                 (name + ".bpf.o"));
    EXPECT_TRUE(bytes) << to_string(bytes.error());
    if (bytes) bytes_ = *bytes;
  }

  [[nodiscard]] Result<Object> load() const { return load_object(bytes_, "hostile.o"); }
  [[nodiscard]] Bytes bytes() const { return bytes_; }

  Patched& section(std::string_view name, const std::function<void(Elf64_Shdr&)>& change) {
    return edit(section_header(name), change);
  }

  Patched& symbol(std::string_view name, const std::function<void(Elf64_Sym&)>& change) {
    return edit(at<Elf64_Shdr>(section_header(".symtab")).sh_offset +
                    symbol_index(name) * sizeof(Elf64_Sym),
                change);
  }

  // The relocation number `index` of a code section.
  Patched& relocation(std::string_view section, std::size_t index,
                      const std::function<void(Elf64_Rel&)>& change) {
    const auto header = at<Elf64_Shdr>(section_header(".rel" + std::string(section)));
    EXPECT_LT(index, header.sh_size / sizeof(Elf64_Rel));
    return edit(header.sh_offset + index * sizeof(Elf64_Rel), change);
  }

  // The instruction to which that relocation applies.
  Patched& relocated(std::string_view section, std::size_t index,
                     const std::function<void(RawSlot&)>& change) {
    std::uint64_t offset = 0;
    relocation(section, index, [&](Elf64_Rel& relocation) { offset = relocation.r_offset; });
    return slot(section, offset / sizeof(RawSlot), change);
  }

  Patched& slot(std::string_view section, std::uint64_t index,
                const std::function<void(RawSlot&)>& change) {
    const auto header = at<Elf64_Shdr>(section_header(section));
    return edit(header.sh_offset + index * sizeof(RawSlot), change);
  }

  // The first slot of a section whose opcode is `opcode`.
  std::uint64_t find_slot(std::string_view section, std::uint8_t opcode) {
    std::uint64_t found = 0;
    while (at<RawSlot>(at<Elf64_Shdr>(section_header(section)).sh_offset + found * sizeof(RawSlot))
               .opcode != opcode) {
      ++found;
    }
    return found;
  }

  // Sections have symbols, too.
  std::uint64_t symbol_index(std::string_view name) {
    const auto file = ElfFile::parse(bytes_);
    for (std::size_t i = 0; file && i < file->symbols.size(); ++i) {
      const ElfSymbol& symbol = file->symbols[i];
      const bool is_section = symbol.type == STT_SECTION;
      if ((is_section ? file->sections[symbol.section].name : symbol.name) == name) return i;
    }
    ADD_FAILURE() << "no symbol " << name;
    return 0;
  }

 private:
  template <class T>
  T at(std::uint64_t offset) {
    return *read_at<T>(bytes_, offset);
  }

  template <class T>
  Patched& edit(std::uint64_t offset, const std::function<void(T&)>& change) {
    T value = at<T>(offset);
    change(value);
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
    return *this;
  }

  std::uint64_t section_header(std::string_view name) {
    const auto file = ElfFile::parse(bytes_);
    const std::uint64_t table = at<Elf64_Ehdr>(0).e_shoff;
    for (std::size_t i = 0; file && i < file->sections.size(); ++i) {
      if (file->sections[i].name == name) return table + i * sizeof(Elf64_Shdr);
    }
    ADD_FAILURE() << "no section " << name;
    return table;
  }

  std::vector<std::byte> bytes_;
};

constexpr const char* kCode = "gpu/entry:*";

void expect_refused(const Patched& object, const char* message, const char* place) {
  const auto loaded = object.load();
  ASSERT_FALSE(loaded) << "was accepted; expected: " << message;
  EXPECT_EQ(loaded.error().fault, Fault::kInput);
  EXPECT_THAT(loaded.error().message, HasSubstr(message)) << to_string(loaded.error());
  EXPECT_THAT(loaded.error().place, HasSubstr(place)) << to_string(loaded.error());
  EXPECT_THAT(loaded.error().place, HasSubstr("hostile.o: "));
}

TEST(HostileObject, RelocationsOfOddPlaces) {
  expect_refused(Patched("data").relocation(kCode, 0, [](auto& r) { r.r_offset += 1; }),
                 "the middle of an instruction", "program data, slot ");
  expect_refused(Patched("data").relocation(kCode, 1, [](auto& r) { r.r_offset -= 4; }),
                 "the middle of an instruction", "program data, slot ");
  expect_refused(Patched("data").relocation(kCode, 0, [](auto& r) { r.r_offset += 8; }),
                 "does not fit opcode 0x00", "program data, slot ");
  Patched twice("data");
  std::uint64_t offset = 0;
  twice.relocation(kCode, 0, [&](auto& r) { offset = r.r_offset; });
  twice.relocation(kCode, 1, [&](auto& r) { r.r_offset = offset; });
  expect_refused(twice, "two relocations of one instruction", "program data, slot ");
}

TEST(HostileObject, RelocationsOfOddKinds) {
  const auto with_type = [](std::uint32_t type) {
    return [type](Elf64_Rel& r) { r.r_info = ELF64_R_INFO(ELF64_R_SYM(r.r_info), type); };
  };
  expect_refused(Patched("data").relocation(kCode, 0, with_type(10)),
                 "type 10 does not fit opcode 0x18", "program data, slot ");
  expect_refused(Patched("data").relocation(kCode, 0, with_type(99)), "type 99", "slot ");
  expect_refused(Patched("functions").relocation(kCode, 1, with_type(1)),
                 "type 1 does not fit opcode 0x85", "program first, slot ");
  expect_refused(Patched("functions").relocated(kCode, 1, [](auto& raw) { raw.registers = 0x20; }),
                 "does not fit opcode 0x85", "program first, slot ");
}

TEST(HostileObject, RelocationsToOddSymbols) {
  const auto to = [](std::uint64_t symbol) {
    return [symbol](Elf64_Rel& r) { r.r_info = ELF64_R_INFO(symbol, ELF64_R_TYPE(r.r_info)); };
  };
  Patched data("data");
  expect_refused(Patched("data").relocation(kCode, 0, to(100'000)), "a damaged relocation",
                 "ELF section table");
  expect_refused(Patched("data").relocation(kCode, 0, to(data.symbol_index("data.bpf.c"))),
                 "is in no section", "program data, slot ");
  expect_refused(Patched("data").relocation(kCode, 0, to(data.symbol_index(".debug_abbrev"))),
                 "a variable in section .debug_abbrev is not supported", "program data, slot ");
  expect_refused(Patched("data").relocation(kCode, 0, to(0)), "\"\" is declared, but not defined",
                 "program data, slot ");
  Patched functions("functions");
  expect_refused(
      Patched("functions").relocation(kCode, 1, to(functions.symbol_index("functions.bpf.c"))),
      "is called, which is no function", "program first, slot ");
}

TEST(HostileObject, AddressesOutsideTheirSections) {
  const auto loads = [](std::int32_t addend) {
    return [addend](RawSlot& raw) { raw.imm = addend; };
  };
  expect_refused(Patched("data").relocated(kCode, 0, loads(1'000'000)), "which has ",
                 "program data, slot ");
  expect_refused(Patched("data").relocated(kCode, 0, loads(-8)), "which has ",
                 "program data, slot ");
  expect_refused(Patched("data").symbol("limit", [](auto& s) { s.st_value = 1 << 20; }),
                 "variable limit does not fit section .rodata", "section .BTF");
  expect_refused(Patched("externs").relocated(kCode, 0, loads(8)), "the address of no map",
                 "program externs, slot ");
}

TEST(HostileObject, CallsThatLeadToNoFunction) {
  const auto imm = [](std::int32_t value) { return [value](RawSlot& raw) { raw.imm = value; }; };
  expect_refused(Patched("functions").relocated(kCode, 1, imm(0)), "in the middle of function",
                 "program first, slot ");
  for (const std::int32_t far : {100'000, -100'000, 0x7fffffff, -0x7fffffff - 1}) {
    expect_refused(Patched("functions").relocated(kCode, 1, imm(far)), "no function begins there",
                   "program first, slot ");
  }
  expect_refused(Patched("functions").relocated(kCode, 0, imm(4)), "no function begins there",
                 "program first, slot ");
  // Without a relocation: triple() is called by its distance.
  const std::uint64_t call = Patched("functions").find_slot(".text", 0x85);
  expect_refused(Patched("functions").slot(".text", call, [](auto& raw) { raw.imm += 1; }),
                 "in the middle of function", "function triple_twice, slot ");
}

TEST(HostileObject, JumpsOutOfTheirFunctions) {
  Patched object("data");
  const std::uint64_t jump = object.find_slot(kCode, 0x05);
  for (const std::int16_t far : {32'767, -32'768}) {
    expect_refused(Patched("data").slot(kCode, jump, [far](auto& raw) { raw.offset = far; }),
                   "the jump leaves its function", "program data, slot ");
  }
}

TEST(HostileObject, FunctionsThatOverlapOrLeaveGaps) {
  expect_refused(Patched("functions").symbol("triple", [](auto& s) { s.st_size += 8; }),
                 "does not fit its section", "section .text");
  expect_refused(Patched("functions").symbol("triple", [](auto& s) { s.st_size -= 8; }), "",
                 "section .text");
  expect_refused(Patched("functions").symbol("add", [](auto& s) { s.st_value = ~0ULL; }),
                 "does not fit its section", "section .text");
  expect_refused(Patched("functions").symbol("first", [](auto& s) { s.st_size = ~7ULL; }),
                 "does not fit its section", "section gpu/entry:*");
}

TEST(HostileObject, SectionsOfOddSizes) {
  const auto size = [](std::uint64_t bytes) {
    return [bytes](Elf64_Shdr& section) { section.sh_size = bytes; };
  };
  expect_refused(Patched("data").section(".bss", size(1ULL << 60)), "more than 1 MiB",
                 "section .bss");
  expect_refused(Patched("data").section(".bss", size(1)), "does not fit section .bss",
                 "section .BTF");
  expect_refused(Patched("data").section(".rodata", size(1ULL << 60)), "lies outside the file",
                 "ELF section table");
  expect_refused(Patched("data").section(".rodata",
                                         [](auto& section) {
                                           section.sh_type = SHT_NOBITS;
                                           section.sh_size = (1ULL << 20) + 1;
                                         }),
                 "constants take more than 1 MiB", "section .rodata");
  expect_refused(Patched("data").section(".rodata", [](auto& s) { s.sh_addralign = 3; }),
                 "an alignment of 3 bytes", "section .rodata");
  expect_refused(Patched("data").section(".rodata", [](auto& s) { s.sh_addralign = 1ULL << 40; }),
                 "an alignment of", "section .rodata");
}

class Damage : public ::testing::TestWithParam<const char*> {};

TEST_P(Damage, IsAnErrorAtWorst) {
  const Patched object(GetParam());
  std::vector<std::byte> damaged(object.bytes().begin(), object.bytes().end());
  for (std::size_t i = 0; i < damaged.size(); ++i) {
    damaged[i] ^= std::byte{0xff};
    const auto loaded = load_object(damaged, "damaged.o");
    EXPECT_TRUE(loaded || loaded.error().fault == Fault::kInput) << i;
    damaged[i] ^= std::byte{0xff};
  }
  for (std::size_t size = 0; size < damaged.size(); size += 7) {
    EXPECT_FALSE(load_object(Bytes(damaged).first(size), "cut.o")) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Linking, Damage, ::testing::Values("functions", "data", "externs"));

}  // namespace
}  // namespace egpu::bpf
