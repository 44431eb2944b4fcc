#include "bpf/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "bpf/subprograms.h"

namespace egpu::bpf {
namespace {

// Moves the jumps of a function that was appended at instruction `base`.
void move_jumps(Instruction& instruction, std::uint32_t base) {
  if (auto* const jump = std::get_if<Jump>(&instruction)) jump->target += base;
  if (auto* const jump_if = std::get_if<JumpIf>(&instruction)) jump_if->target += base;
}

// Replaces the function that an instruction names by the function's first instruction.
void point_to(Instruction& instruction, std::uint32_t first) {
  if (auto* const call = std::get_if<CallSubprogram>(&instruction)) call->target = first;
  if (auto* const load = std::get_if<LoadImm64>(&instruction)) load->value = first;
}

}  // namespace

Result<Program> Linker::link(std::uint32_t function) {
  EGPU_ASSIGN(const std::vector<std::uint32_t> order, reachable_from(function));
  Program program;
  program.name = functions_[function].name;
  program.section = elf_.sections[functions_[function].section].name;
  std::map<std::uint32_t, std::uint32_t> first;  // instruction, by function
  for (const std::uint32_t next : order) {
    first.emplace(next, static_cast<std::uint32_t>(program.instructions.size()));
    append(next, program);
  }
  for (Instruction& instruction : program.instructions) {
    if (const auto callee = function_target(instruction)) point_to(instruction, first.at(*callee));
  }
  EGPU_TRY(find_subprograms(program.instructions,
                            [&](std::size_t instruction) { return program.place(instruction); }));
  return program;
}

Result<std::vector<std::uint32_t>> Linker::reachable_from(std::uint32_t function) {
  std::vector<std::uint32_t> order{function};
  std::set<std::uint32_t> seen{function};
  std::size_t size = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    EGPU_ASSIGN(const DecodedProgram* const code, decoded(order[i]));
    size += code->instructions.size();
    for (const Instruction& instruction : code->instructions) {
      const auto callee = function_target(instruction);
      if (callee && seen.insert(*callee).second) order.push_back(*callee);
    }
  }
  const std::string place = fmt::format("program {}", functions_[function].name);
  if (size > kMaxProgramSlots) {
    return input_error(fmt::format("the program and the functions it calls have {} instructions, "
                                   "more than {}",
                                   size, kMaxProgramSlots))
        .at(place)
        .hint("make the program smaller");
  }
  linked_ += size;
  if (linked_ > kMaxLinkedInstructions) {
    return input_error(fmt::format("the programs of the object have more than {} instructions, "
                                   "with the functions they call",
                                   kMaxLinkedInstructions))
        .at(place)
        .hint("spread the programs over several objects");
  }
  return order;
}

// Decodes a function when the first program reaches it.
Result<const DecodedProgram*> Linker::decoded(std::uint32_t function) {
  std::optional<DecodedProgram>& result = decoded_[function];
  if (!result) {
    const CodeFunction& code = functions_[function];
    const SlotPlace place = [&](std::uint32_t slot) { return slot_place(code, slot); };
    EGPU_ASSIGN(const std::vector<Reference> references, references_.read(code, place));
    const Bytes bytes = elf_.sections[code.section].data.subspan(
        std::uint64_t{code.first_slot} * kSlotBytes, std::uint64_t{code.slots} * kSlotBytes);
    EGPU_ASSIGN(result, decode(bytes, references, place));
  }
  return &*result;
}

void Linker::append(std::uint32_t function, Program& program) {
  const CodeFunction& code = functions_[function];
  const std::string_view section = elf_.sections[code.section].name;
  const auto base = static_cast<std::uint32_t>(program.instructions.size());
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): every reachable function was decoded
  const DecodedProgram& added = *decoded_[function];
  for (std::size_t i = 0; i < added.instructions.size(); ++i) {
    const std::uint32_t slot = code.first_slot + added.slots[i];
    program.instructions.push_back(added.instructions[i]);
    move_jumps(program.instructions.back(), base);
    program.slots.push_back(slot);
    program.source.push_back(lines_.find(section, code.first_slot, slot));
  }
  const auto end = static_cast<std::uint32_t>(program.instructions.size());
  program.functions.push_back({.name = code.name, .range = {.first = base, .end = end}});
}

std::string Linker::slot_place(const CodeFunction& function, std::uint32_t slot) const {
  const std::string who =
      fmt::format("{} {}", function.is_program ? "program" : "function", function.name);
  const std::uint32_t in_section = function.first_slot + slot;
  return place_text(
      who, "slot", in_section,
      lines_.find(elf_.sections[function.section].name, function.first_slot, in_section));
}

std::string place_text(std::string_view function, std::string_view unit, std::size_t index,
                       const std::optional<SourceLine>& source) {
  const std::string where = fmt::format("{}, {} {}", function, unit, index);
  return source ? fmt::format("{} ({}:{})", where, source->file, source->line) : where;
}

}  // namespace egpu::bpf
