// load_object(): an ELF file becomes programs, maps and types.
//
//   ELF sections and symbols        elf_file
//   types and source lines          btf, line_info
//   section .maps                   map_definitions
//   each executable section         one program for each function symbol in it: its relocations
//                                   become map references, its slots instructions (decode)
#include "bpf/object.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "bpf/decode.h"
#include "bpf/elf_file.h"
#include "bpf/line_info.h"
#include "bpf/map_definitions.h"

namespace egpu::bpf {
namespace {

constexpr std::uint32_t kRelocation64 = 1;   // R_BPF_64_64: a 16-byte load
constexpr std::uint32_t kRelocation32 = 10;  // R_BPF_64_32: a call
constexpr std::uint64_t kMaxObjectBytes = std::uint64_t{64} << 20;

std::string place_of(std::string_view function, std::string_view unit, std::size_t index,
                     const std::optional<SourceLine>& source) {
  const std::string where = fmt::format("{}, {} {}", function, unit, index);
  return source ? fmt::format("{} ({}:{})", where, source->file, source->line) : where;
}

bool is_identifier(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '$';
  });
}

class Loader {
 public:
  explicit Loader(std::string path) { object_.path = std::move(path); }

  Result<Object> load(Bytes bytes) {
    if (bytes.size() > kMaxObjectBytes) return input_error("the file is larger than 64 MiB");
    EGPU_ASSIGN(elf_, ElfFile::parse(bytes));
    EGPU_TRY(load_types());
    EGPU_TRY(load_maps());
    for (std::size_t i = 0; i < elf_.sections.size(); ++i) {
      const ElfSection& section = elf_.sections[i];
      const bool is_code = section.type == SHT_PROGBITS && (section.flags & SHF_EXECINSTR) != 0;
      if (is_code && section.size != 0) EGPU_TRY(load_section(i));
    }
    if (object_.programs.empty()) {
      return input_error("the object holds no program")
          .hint("put a function in SEC(\"gpu/entry:KERNEL\")");
    }
    return std::move(object_);
  }

 private:
  Result<void> load_types() {
    const ElfSection* const btf = elf_.find_section(".BTF");
    if (btf == nullptr) {
      return input_error("the object has no type information (BTF)")
          .hint("compile with -g: clang -target bpf -mcpu=v3 -O2 -g");
    }
    EGPU_ASSIGN(object_.btf, Btf::parse(btf->data));
    if (const ElfSection* const lines = elf_.find_section(".BTF.ext")) {
      EGPU_ASSIGN(lines_, LineTable::parse(lines->data, object_.btf));
    }
    return {};
  }

  Result<void> load_maps() {
    EGPU_ASSIGN(maps_, read_map_definitions(elf_, object_.btf));
    for (const PlacedMap& map : maps_) {
      if (!is_identifier(map.definition.name)) {
        return input_error("a map has a name that is not an identifier").at("section .maps");
      }
      object_.maps.push_back(map.definition);
    }
    return {};
  }

  // The functions of section `index`, in order; they must cover it without gaps.
  Result<std::vector<ElfSymbol>> functions_of(std::size_t index) const {
    const ElfSection& section = elf_.sections[index];
    const auto damaged = [&](std::string why) {
      return input_error(std::move(why))
          .at(fmt::format("section {}", section.name))
          .hint("the file is damaged: compile it again");
    };
    std::vector<ElfSymbol> functions;
    for (const ElfSymbol& symbol : elf_.symbols) {
      if (symbol.section == index && symbol.type == STT_FUNC) functions.push_back(symbol);
    }
    std::ranges::sort(functions, {}, &ElfSymbol::value);
    std::uint64_t end = 0;
    for (const ElfSymbol& function : functions) {
      if (!is_identifier(function.name)) return damaged("a function has no proper name");
      if (function.value != end || function.size == 0 || function.size > section.size - end ||
          function.size % kSlotBytes != 0) {
        return damaged(fmt::format("function {} does not fit its section", function.name));
      }
      end += function.size;
    }
    if (end != section.size) return damaged("there is code that belongs to no function");
    return functions;
  }

  Result<void> load_section(std::size_t index) {
    const ElfSection& section = elf_.sections[index];
    EGPU_ASSIGN(const std::vector<ElfSymbol> functions, functions_of(index));
    if (section.name == ".text") {
      return input_error(
                 fmt::format("function {} is in no program section: calls of subprograms are "
                             "not supported",
                             functions.front().name))
          .at("section .text")
          .hint("mark it static __always_inline, or give it a SEC(\"gpu/entry:KERNEL\")");
    }
    EGPU_ASSIGN(const AttachPoint attach, parse_attach_point(section.name));
    EGPU_ASSIGN(const std::vector<ElfRelocation> relocations, elf_.relocations_of(index));
    for (const ElfSymbol& function : functions) {
      if (function.binding == STB_LOCAL) {
        return input_error(
                   fmt::format("function {} is static: calls of subprograms are not supported",
                               function.name))
            .at(fmt::format("section {}", section.name))
            .hint("mark it __always_inline and leave its SEC() out");
      }
      EGPU_ASSIGN(Program program, load_program(section, function, relocations));
      program.attach = attach;
      object_.programs.push_back(std::move(program));
    }
    return {};
  }

  Result<Program> load_program(const ElfSection& section, const ElfSymbol& function,
                               const std::vector<ElfRelocation>& relocations) const {
    Program program;
    program.name = function.name;
    program.section = section.name;
    const auto first = static_cast<std::uint32_t>(function.value / kSlotBytes);
    const SlotPlace place = [&](std::uint32_t slot) {
      return place_of("program " + program.name, "slot", slot,
                      lines_.find(section.name, first, first + slot));
    };
    EGPU_ASSIGN(const auto maps, map_references(function, relocations, place));
    const Bytes code = section.data.subspan(function.value, function.size);
    EGPU_ASSIGN(DecodedProgram decoded, decode(code, maps, place));
    EGPU_TRY(check_references(decoded, maps, place));
    const auto count = static_cast<std::uint32_t>(decoded.instructions.size());
    program.functions.push_back({.name = program.name, .range = {.first = 0, .end = count}});
    program.instructions = std::move(decoded.instructions);
    program.slots = std::move(decoded.slots);
    for (std::uint32_t& slot : program.slots) {
      slot += first;
      program.source.push_back(lines_.find(section.name, first, slot));
    }
    return program;
  }

  // The relocations inside `function`, all of which must refer to maps.
  Result<std::vector<MapReference>> map_references(const ElfSymbol& function,
                                                   const std::vector<ElfRelocation>& relocations,
                                                   const SlotPlace& place) const {
    std::vector<MapReference> references;
    for (const ElfRelocation& relocation : relocations) {
      if (relocation.offset < function.value) continue;
      const std::uint64_t offset = relocation.offset - function.value;
      if (offset >= function.size) break;
      const auto slot = static_cast<std::uint32_t>(offset / kSlotBytes);
      const ElfSymbol& symbol = elf_.symbols[relocation.symbol];
      if (relocation.type == kRelocation32) return refuse_call(symbol).at(place(slot));
      if (relocation.type != kRelocation64 || offset % kSlotBytes != 0) {
        return input_error(fmt::format("relocation of type {} is not supported", relocation.type))
            .at(place(slot));
      }
      const auto map = std::ranges::find(maps_, symbol.value, &PlacedMap::offset);
      if (section_name(symbol) != ".maps" || map == maps_.end()) {
        return refuse_data(symbol).at(place(slot));
      }
      if (!references.empty() && references.back().slot == slot) {
        return input_error("two relocations of one instruction").at(place(slot));
      }
      references.push_back({slot, static_cast<std::uint32_t>(map - maps_.begin())});
    }
    return references;
  }

  // Every reference must have become a map load: one that hits another instruction is damage.
  static Result<void> check_references(const DecodedProgram& program,
                                       const std::vector<MapReference>& references,
                                       const SlotPlace& place) {
    for (const MapReference& reference : references) {
      const auto slot = std::ranges::lower_bound(program.slots, reference.slot);
      const bool starts_here = slot != program.slots.end() && *slot == reference.slot;
      const auto* const load =
          starts_here ? std::get_if<LoadImm64>(&program.instructions[slot - program.slots.begin()])
                      : nullptr;
      if (load == nullptr) {
        return input_error("a map relocation applies to an instruction that loads no map")
            .at(place(reference.slot));
      }
    }
    return {};
  }

  [[nodiscard]] std::string_view section_name(const ElfSymbol& symbol) const {
    return symbol.section < elf_.sections.size() ? elf_.sections[symbol.section].name
                                                 : std::string_view();
  }

  [[nodiscard]] Error refuse_call(const ElfSymbol& symbol) const {
    if (symbol.section == SHN_UNDEF) {
      return input_error(
                 fmt::format("kernel function (kfunc) \"{}\" is not supported", symbol.name))
          .hint("call helpers by their Linux number, as include/egpu/egpu.bpf.h declares them");
    }
    return input_error(fmt::format("calls of subprograms are not supported: \"{}\"", symbol.name))
        .hint("mark the function __always_inline");
  }

  [[nodiscard]] Error refuse_data(const ElfSymbol& symbol) const {
    const std::string_view name = symbol.name.empty() ? section_name(symbol) : symbol.name;
    if (symbol.section == SHN_UNDEF) {
      return input_error(fmt::format("external symbol \"{}\" is not supported", name));
    }
    return input_error(fmt::format("global data \"{}\" (section {}) is not supported", name,
                                   section_name(symbol)))
        .hint(
            "keep the value in a map of type BPF_MAP_TYPE_ARRAY with one entry; "
            "without -O2, helpers are global data too");
  }

  ElfFile elf_;
  LineTable lines_;
  std::vector<PlacedMap> maps_;
  Object object_;
};

}  // namespace

std::size_t Program::function_of(std::size_t instruction) const {
  const auto after = std::ranges::upper_bound(
      functions, instruction, {},
      [](const ProgramFunction& function) { return function.range.first; });
  return after == functions.begin() ? 0 : static_cast<std::size_t>(after - functions.begin()) - 1;
}

std::string Program::place(std::size_t instruction) const {
  const bool known = instruction < source.size();
  const std::size_t function = function_of(instruction);
  const std::string where =
      function == 0 ? "program " + name
                    : fmt::format("program {}, function {}", name, functions[function].name);
  return place_of(where, "instruction", instruction, known ? source[instruction] : std::nullopt);
}

Result<Object> load_object(Bytes object_untrusted, std::string path) {
  Result<Object> object = Loader(path).load(object_untrusted);
  if (object) return object;
  Error error = std::move(object).error();
  error.place = error.place.empty() ? std::move(path) : fmt::format("{}: {}", path, error.place);
  return error;
}

}  // namespace egpu::bpf
