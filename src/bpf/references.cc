// How compilers write references (LLVM's "BPF relocation" and the psABI of the Linux kernel):
//
//   16-byte load   R_BPF_64_64   address = symbol + immediate, in bytes. Static variables, maps and
//                                functions are named by their section's symbol.
//   call           R_BPF_64_32   function = symbol + 8 * (immediate + 1), in bytes: the immediate
//                                is -1 for a global function; for a static one, the symbol is its
//                                section's. Functions of egpu are undefined symbols.
//   call           none          a static function of the same section: the immediate is the
//                                distance in slots from the next instruction.
#include "bpf/references.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bpf/encoding.h"

namespace egpu::bpf {
namespace {

constexpr std::uint32_t kRelocation64 = 1;   // R_BPF_64_64
constexpr std::uint32_t kRelocation32 = 10;  // R_BPF_64_32
constexpr std::uint8_t kOpcodeCall = kClassJmp | kOperationCall;

constexpr const char* kDamagedHint = "the file is damaged: compile it again";

std::optional<RawSlot> slot_at(Bytes code, std::uint32_t slot) {
  return read_at<RawSlot>(code, std::uint64_t{slot} * kSlotBytes);
}

bool calls_function(const RawSlot& raw) {
  return raw.opcode == kOpcodeCall && raw.src() == kCallSubprogram;
}

// Where a call in slot `slot` of its section leads, in bytes; wraps around.
std::uint64_t call_target(std::uint64_t origin_slot, std::int32_t distance) {
  return (origin_slot + 1 + static_cast<std::uint64_t>(std::int64_t{distance})) * kSlotBytes;
}

}  // namespace

Result<std::vector<Reference>> ReferenceReader::read(const CodeFunction& function,
                                                     const SlotPlace& place) {
  EGPU_ASSIGN(const std::vector<ElfRelocation>* const relocations,
              relocations_of(function.section));
  const std::uint64_t first = std::uint64_t{function.first_slot} * kSlotBytes;
  const Bytes code = symbols_.elf.sections[function.section].data.subspan(
      first, std::uint64_t{function.slots} * kSlotBytes);
  auto relocation = std::ranges::lower_bound(*relocations, first, {}, &ElfRelocation::offset);

  std::vector<Reference> references;
  for (std::uint32_t slot = 0; slot < function.slots; ++slot) {
    const std::uint64_t end = first + (std::uint64_t{slot} + 1) * kSlotBytes;
    bool has_relocation = false;
    for (; relocation != relocations->end() && relocation->offset < end; ++relocation) {
      if (relocation->offset % kSlotBytes != 0 || has_relocation) {
        return input_error(has_relocation ? "two relocations of one instruction"
                                          : "a relocation applies to the middle of an instruction")
            .at(place(slot))
            .hint(kDamagedHint);
      }
      has_relocation = true;
      auto reference = read_one(*relocation, code, slot);
      if (!reference) return std::move(reference).error().at(place(slot));
      references.push_back(*reference);
    }
    const auto raw = slot_at(code, slot);
    if (has_relocation || !raw || !calls_function(*raw)) continue;
    auto callee = function_at(slot, function.section,
                              call_target(std::uint64_t{function.first_slot} + slot, raw->imm));
    if (!callee) return std::move(callee).error().at(place(slot));
    references.push_back(*callee);
  }
  return references;
}

Result<const std::vector<ElfRelocation>*> ReferenceReader::relocations_of(std::uint32_t section) {
  const auto known = relocations_.find(section);
  if (known != relocations_.end()) return &known->second;
  EGPU_ASSIGN(std::vector<ElfRelocation> relocations, symbols_.elf.relocations_of(section));
  return &relocations_.emplace(section, std::move(relocations)).first->second;
}

Result<Reference> ReferenceReader::read_one(const ElfRelocation& relocation, Bytes code,
                                            std::uint32_t slot) {
  const ElfSymbol& symbol = symbols_.elf.symbols[relocation.symbol];
  const RawSlot raw = slot_at(code, slot).value_or(RawSlot{});
  if (relocation.type == kRelocation32 && calls_function(raw)) {
    return read_call({symbol, slot, static_cast<std::uint64_t>(std::int64_t{raw.imm})});
  }
  const auto high = slot_at(code, slot + 1);
  if (relocation.type == kRelocation64 && raw.opcode == kOpcodeLoadImm64 && high) {
    const std::uint64_t addend = std::uint64_t{static_cast<std::uint32_t>(high->imm)} << 32 |
                                 static_cast<std::uint32_t>(raw.imm);
    return read_address({symbol, slot, addend});
  }
  return input_error(fmt::format("a relocation of type {} does not fit opcode {:#04x}",
                                 relocation.type, raw.opcode))
      .hint(kDamagedHint);
}

Result<Reference> ReferenceReader::read_address(const Site& site) const {
  const ElfSymbol& symbol = site.symbol;
  if (symbol.section == SHN_UNDEF) return refuse_extern(symbol);
  if (const auto data = symbols_.data.find(symbol.section); data != symbols_.data.end()) {
    return data_address(site, data->second);
  }
  if (symbol.section < symbols_.elf.sections.size()) {
    const ElfSection& section = symbols_.elf.sections[symbol.section];
    if (section.name == ".maps") return map_address(site);
    if (is_code(section)) return function_at(site.slot, symbol.section, symbol.value + site.addend);
    return input_error(fmt::format("a variable in section {} is not supported", section.name))
        .hint("leave its SEC() out");
  }
  return input_error(fmt::format("symbol \"{}\" is in no section", symbol.name)).hint(kDamagedHint);
}

Result<Reference> ReferenceReader::data_address(const Site& site, const PlacedData& data) const {
  const std::uint64_t offset = site.symbol.value + site.addend;
  if (offset > data.size) {  // one past the end is an address, too
    return input_error(fmt::format("byte {} of section {} is used, which has {} bytes",
                                   static_cast<std::int64_t>(offset),
                                   symbols_.elf.sections[site.symbol.section].name, data.size))
        .hint("use the array's elements by their indexes, from 0");
  }
  return Reference{.slot = site.slot, .kind = data.kind, .index = data.index, .value = offset};
}

Result<Reference> ReferenceReader::map_address(const Site& site) const {
  const auto map =
      std::ranges::find(symbols_.maps, site.symbol.value + site.addend, &PlacedMap::offset);
  if (map == symbols_.maps.end()) {
    return input_error("the address of no map").hint("pass maps to helpers as they are: &my_map");
  }
  return Reference{.slot = site.slot,
                   .kind = ReferenceKind::kMap,
                   .index = static_cast<std::uint32_t>(map - symbols_.maps.begin())};
}

Result<Reference> ReferenceReader::read_call(const Site& site) {
  const ElfSymbol& symbol = site.symbol;
  if (symbol.section == SHN_UNDEF) return extern_call(site);
  const bool in_section = symbol.section < symbols_.elf.sections.size();
  if (!in_section || !is_code(symbols_.elf.sections[symbol.section])) {
    return input_error(fmt::format("\"{}\" is called, which is no function",
                                   in_section && symbol.name.empty()
                                       ? symbols_.elf.sections[symbol.section].name
                                       : symbol.name))
        .hint(kDamagedHint);
  }
  const auto distance = static_cast<std::int32_t>(site.addend);
  // The symbol's value counts from the section's start, and as the slot before it: see above.
  return function_at(site.slot, symbol.section, symbol.value + call_target(0, distance));
}

Result<Reference> ReferenceReader::function_at(std::uint32_t slot, std::uint32_t section,
                                               std::uint64_t byte) const {
  auto function = symbols_.functions.beginning_at(section, byte);
  if (!function) {
    return input_error(fmt::format("no function begins there, in section {}: {}",
                                   symbols_.elf.sections[section].name, function.error().message))
        .hint(kDamagedHint);
  }
  return Reference{.slot = slot, .kind = ReferenceKind::kFunction, .index = *function};
}

Result<Reference> ReferenceReader::extern_call(const Site& site) {
  const std::string_view name = site.symbol.name;
  const Type* const type = extern_type(".ksyms", name);
  if (type == nullptr || !std::holds_alternative<Function>(type->shape) ||
      site.symbol.binding == STB_WEAK || site.addend != ~std::uint64_t{0}) {
    return refuse_extern(site.symbol);
  }
  auto known = std::ranges::find(externs_, name);
  if (known == externs_.end()) known = externs_.emplace(externs_.end(), name);
  return Reference{.slot = site.slot,
                   .kind = ReferenceKind::kExtern,
                   .index = static_cast<std::uint32_t>(known - externs_.begin())};
}

Error ReferenceReader::refuse_extern(const ElfSymbol& symbol) const {
  const std::string_view name = symbol.name;
  if (name == "__bpf_trap") {
    return input_error("__builtin_trap() is not supported").hint("return in its place");
  }
  if (extern_type(".kconfig", name) != nullptr) {
    return input_error(fmt::format("\"{}\" of the kernel's configuration is not supported", name))
        .hint("use a const volatile variable, and set it with --set");
  }
  const Type* const type = extern_type(".ksyms", name);
  if (type == nullptr) {
    return input_error(fmt::format("\"{}\" is declared, but not defined", name))
        .hint("define it in the same file; functions of egpu are declared with __ksym");
  }
  if (symbol.binding == STB_WEAK) {
    return input_error(
               fmt::format("weak external function or variable \"{}\" is not supported", name))
        .hint("leave __weak out: an unknown name is then refused when the program is loaded");
  }
  if (std::holds_alternative<Function>(type->shape)) {
    return input_error(
               fmt::format("the address of external function \"{}\" is not supported", name))
        .hint("call the function, or pass one of the program");
  }
  return input_error(fmt::format("kernel variable \"{}\" is not supported", name))
      .hint("GPU programs have no access to the kernel's memory");
}

// What an extern in BTF's section `section` is; null where there is none of this name.
const Type* ReferenceReader::extern_type(std::string_view section, std::string_view name) const {
  const DataSection* const externs = symbols_.btf.find_section(section);
  if (externs == nullptr) return nullptr;
  for (const SectionVariable& entry : externs->variables) {
    const Type& type = symbols_.btf.type(entry.variable);
    if (type.name == name) return &type;
  }
  return nullptr;
}

}  // namespace egpu::bpf
