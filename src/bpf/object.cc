// load_object(): an ELF file becomes programs, maps and types.
//
//   ELF sections and symbols        elf_file
//   types and source lines          btf, line_info
//   section .maps                   map_definitions
//   .data, .bss, .rodata            data_sections
//   functions                       code_functions
//   relocations and calls           references
//   each function that fires        link: the function and all that it reaches, decoded
#include "bpf/object.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "abi/protocol.h"
#include "bpf/code_functions.h"
#include "bpf/data_sections.h"
#include "bpf/elf_file.h"
#include "bpf/identifier.h"
#include "bpf/line_info.h"
#include "bpf/link.h"
#include "bpf/map_definitions.h"
#include "bpf/references.h"

namespace egpu::bpf {
namespace {

constexpr std::uint64_t kMaxObjectBytes = std::uint64_t{64} << 20;

struct TypesAndLines {
  Btf btf;
  LineTable lines;
};

Result<TypesAndLines> load_types(const ElfFile& elf) {
  const ElfSection* const btf = elf.find_section(".BTF");
  if (btf == nullptr) {
    return input_error("the object has no type information (BTF)")
        .hint("compile with -g: clang -target bpf -mcpu=v3 -O2 -g");
  }
  TypesAndLines result;
  EGPU_ASSIGN(result.btf, Btf::parse(btf->data));
  if (const ElfSection* const lines = elf.find_section(".BTF.ext")) {
    EGPU_ASSIGN(result.lines, LineTable::parse(lines->data, result.btf));
  }
  return result;
}

Result<std::vector<PlacedMap>> load_maps(const ElfFile& elf, Object& object) {
  EGPU_ASSIGN(std::vector<PlacedMap> maps, read_map_definitions(elf, object.btf));
  for (const PlacedMap& map : maps) {
    if (!is_identifier(map.definition.name)) {
      return input_error("a map has a name that is not an identifier").at("section .maps");
    }
    object.maps.push_back(map.definition);
  }
  return maps;
}

Result<void> check_map_count(const Object& object) {
  if (object.maps.size() <= abi::kMaxMaps) return {};
  return input_error(fmt::format("{} maps are more than {}", object.maps.size(), abi::kMaxMaps))
      .at("section .maps")
      .hint("data sections count as maps, too");
}

Result<void> link_programs(const ElfFile& elf, const CodeFunctions& functions, Linker& linker,
                           Object& object) {
  for (std::uint32_t i = 0; i < functions.all().size(); ++i) {
    const CodeFunction& function = functions.all()[i];
    if (!function.is_program) continue;
    EGPU_ASSIGN(AttachPoint attach, parse_attach_point(elf.sections[function.section].name));
    EGPU_ASSIGN(Program program, linker.link(i));
    program.attach = std::move(attach);
    object.programs.push_back(std::move(program));
  }
  if (!object.programs.empty()) return {};
  Error error = input_error("the object holds no program")
                    .hint("put a function that is not static in SEC(\"gpu/entry:KERNEL\")");
  if (functions.all().empty()) return error;
  return std::move(error).at(fmt::format("function {}", functions.all().front().name));
}

void add_trace_map(Object& object) {
  constexpr std::int32_t kTracePrintk = 6;
  const auto traces = [](const Program& program) {
    return std::ranges::any_of(program.instructions, [](const Instruction& instruction) {
      const auto* const call = std::get_if<CallHelper>(&instruction);
      return call != nullptr && call->helper == kTracePrintk;
    });
  };
  if (std::ranges::none_of(object.programs, traces)) return;
  object.maps.push_back({.name = kTraceMap,
                         .type = MapType::kRingbuf,
                         .key_size = 0,
                         .value_size = 0,
                         .max_entries = kOwnRingBytes,
                         .key_type = {},
                         .value_type = {}});
}

Result<Object> load(Bytes bytes_untrusted, std::string path) {
  if (bytes_untrusted.size() > kMaxObjectBytes) {
    return input_error("the file is larger than 64 MiB");
  }
  EGPU_ASSIGN(const ElfFile elf, ElfFile::parse(bytes_untrusted));
  Object object;
  object.path = std::move(path);
  EGPU_ASSIGN(TypesAndLines types, load_types(elf));
  object.btf = std::move(types.btf);

  // The maps of section .maps come first, then the data sections.
  EGPU_ASSIGN(const std::vector<PlacedMap> maps, load_maps(elf, object));
  EGPU_ASSIGN(const DataSections data, load_data_sections(elf, object));
  EGPU_TRY(check_map_count(object));

  EGPU_ASSIGN(const CodeFunctions functions, CodeFunctions::read(elf));
  ReferenceReader references({elf, object.btf, functions, maps, data}, object.externs);
  Linker linker(elf, functions, types.lines, references);
  EGPU_TRY(link_programs(elf, functions, linker, object));
  add_trace_map(object);
  EGPU_TRY(check_map_count(object));
  return object;
}

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
  return place_text(where, "instruction", instruction, known ? source[instruction] : std::nullopt);
}

Result<Object> load_object(Bytes object_untrusted, std::string path) {
  Result<Object> object = load(object_untrusted, path);
  if (object) return object;
  Error error = std::move(object).error();
  error.place = error.place.empty() ? std::move(path) : fmt::format("{}: {}", path, error.place);
  return error;
}

}  // namespace egpu::bpf
