// A function that fires, and all the functions it reaches -> one Program.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bpf/code_functions.h"
#include "bpf/decode.h"
#include "bpf/elf_file.h"
#include "bpf/line_info.h"
#include "bpf/object.h"
#include "bpf/references.h"

namespace egpu::bpf {

// Over all programs of an object, each with its copies of the functions it shares with others.
inline constexpr std::size_t kMaxLinkedInstructions = std::size_t{4} * kMaxProgramSlots;

class Linker {
 public:
  Linker(const ElfFile& elf, const CodeFunctions& functions, const LineTable& lines,
         ReferenceReader& references)
      : elf_(elf),
        functions_(functions.all()),
        lines_(lines),
        references_(references),
        decoded_(functions_.size()) {}

  // `function`: index in CodeFunctions. The functions it calls or passes to helpers follow it, each
  // once, in the order in which the code before them mentions them. Refuses what decode() and
  // find_subprograms() refuse. Program::attach is left to the caller.
  Result<Program> link(std::uint32_t function);

 private:
  Result<const DecodedProgram*> decoded(std::uint32_t function);
  Result<std::vector<std::uint32_t>> reachable_from(std::uint32_t function);
  void append(std::uint32_t function, Program& program);
  [[nodiscard]] std::string slot_place(const CodeFunction& function, std::uint32_t slot) const;

  const ElfFile& elf_;
  std::span<const CodeFunction> functions_;
  const LineTable& lines_;
  ReferenceReader& references_;
  std::vector<std::optional<DecodedProgram>> decoded_;  // by function; targets: functions
  std::size_t linked_ = 0;                              // instructions so far
};

// "program count, slot 7 (count.bpf.c:12)"
std::string place_text(std::string_view function, std::string_view unit, std::size_t index,
                       const std::optional<SourceLine>& source);

}  // namespace egpu::bpf
