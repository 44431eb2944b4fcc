// The functions of an object file, as its symbol table places them in the code sections.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bpf/elf_file.h"

namespace egpu::bpf {

struct CodeFunction {
  std::string name;
  std::uint32_t section = 0;     // ElfFile::sections
  std::uint32_t first_slot = 0;  // in the section
  std::uint32_t slots = 0;       // at least 1
  bool is_program = false;       // fires by itself: global, in a section of its own
};

class CodeFunctions {
 public:
  // Functions must cover their sections without gaps or overlaps.
  static Result<CodeFunctions> read(const ElfFile& elf);

  // In the order of sections and of code.
  [[nodiscard]] const std::vector<CodeFunction>& all() const { return functions_; }

  // The function that begins at `byte` of section `section`: an index into all(). Errors say what
  // is there instead, without a place.
  [[nodiscard]] Result<std::uint32_t> beginning_at(std::uint32_t section, std::uint64_t byte) const;

 private:
  std::vector<CodeFunction> functions_;
};

// Whether a section holds instructions.
bool is_code(const ElfSection& section);

}  // namespace egpu::bpf
