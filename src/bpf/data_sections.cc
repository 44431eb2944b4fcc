#include "bpf/data_sections.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "bpf/identifier.h"
#include "bpf/map_definitions.h"

namespace egpu::bpf {
namespace {

constexpr std::uint64_t kMaxAlignment = 4096;
constexpr std::size_t kMaxSections = 256;

// Whether `name` is `family` or, where the programmer or the compiler chose it, `family`.SOMETHING.
bool belongs_to(std::string_view name, std::string_view family) {
  return name.starts_with(family) && (name.size() == family.size() || name[family.size()] == '.');
}

std::optional<ReferenceKind> kind_of(const ElfSection& section) {
  const bool has_bytes = section.type == SHT_PROGBITS || section.type == SHT_NOBITS;
  if (!has_bytes || section.size == 0) return std::nullopt;
  if (belongs_to(section.name, ".rodata")) return ReferenceKind::kReadOnly;
  if (belongs_to(section.name, ".data") || belongs_to(section.name, ".bss")) {
    return ReferenceKind::kMapData;
  }
  return std::nullopt;
}

class DataLoader {
 public:
  DataLoader(const ElfFile& elf, Object& object) : elf_(elf), object_(object) {}

  Result<DataSections> run() {
    for (std::uint32_t i = 0; i < elf_.sections.size(); ++i) {
      const auto kind = kind_of(elf_.sections[i]);
      if (!kind) continue;
      auto placed = load(i, *kind);
      if (!placed) {
        Error error = std::move(placed).error();
        if (error.place.empty()) error.place = fmt::format("section {}", elf_.sections[i].name);
        return error;
      }
      sections_.emplace(i, *placed);
    }
    return std::move(sections_);
  }

 private:
  Result<PlacedData> load(std::uint32_t index, ReferenceKind kind) {
    const ElfSection& section = elf_.sections[index];
    if (!is_identifier(section.name)) return input_error("the section's name is no identifier");
    if (!names_.insert(section.name).second) {
      return input_error("there are two sections of this name");
    }
    if (names_.size() > kMaxSections) {
      return input_error(fmt::format("there are more than {} sections of data", kMaxSections))
          .hint("compile without -fdata-sections");
    }
    EGPU_TRY(refuse_addresses(index));
    const bool is_read_only = kind == ReferenceKind::kReadOnly;
    EGPU_TRY(check_size(section, is_read_only));
    EGPU_ASSIGN(const std::optional<TypeId> type, place_variables(index));
    std::vector<std::byte> bytes(section.data.begin(), section.data.end());
    bytes.resize(section.size);  // .bss has none in the file
    if (is_read_only) {
      object_.read_only.push_back({.name = std::string(section.name),
                                   .bytes = std::move(bytes),
                                   .alignment = std::max<std::uint64_t>(section.alignment, 1)});
      return placed(kind, object_.read_only.size(), section);
    }
    object_.maps.push_back({.name = std::string(section.name),
                            .type = MapType::kArray,
                            .key_size = 4,
                            .value_size = static_cast<std::uint32_t>(section.size),
                            .max_entries = 1,
                            .key_type = {},
                            .value_type = type,
                            .initial = std::move(bytes)});
    return placed(kind, object_.maps.size(), section);
  }

  // The last of `count` things is what `section` has become.
  static PlacedData placed(ReferenceKind kind, std::size_t count, const ElfSection& section) {
    return {.kind = kind, .index = static_cast<std::uint32_t>(count - 1), .size = section.size};
  }

  Result<void> check_size(const ElfSection& section, bool is_read_only) {
    if (section.alignment > kMaxAlignment || std::popcount(section.alignment) > 1) {
      return input_error(
          fmt::format("an alignment of {} bytes is not supported", section.alignment));
    }
    if (!is_read_only && section.size > kMaxMapValueBytes) {
      return input_error(fmt::format("{} bytes of variables are more than 1 MiB", section.size))
          .hint("keep large tables in a map");
    }
    if (!is_read_only) return {};
    if (section.size > kMaxReadOnlyBytes - read_only_bytes_) {
      return input_error("constants take more than 1 MiB").hint("keep large tables in a map");
    }
    read_only_bytes_ += section.size;
    return {};
  }

  // The code generator cannot put addresses into data.
  [[nodiscard]] Result<void> refuse_addresses(std::uint32_t index) const {
    EGPU_ASSIGN(const std::vector<ElfRelocation> relocations, elf_.relocations_of(index));
    if (relocations.empty()) return {};
    const std::uint64_t offset = relocations.front().offset;
    const auto variable = std::ranges::find_if(elf_.symbols, [&](const ElfSymbol& symbol) {
      return symbol.section == index && symbol.type == STT_OBJECT && offset >= symbol.value &&
             offset - symbol.value < symbol.size;
    });
    const std::string what = variable == elf_.symbols.end()
                                 ? fmt::format("the data at offset {:#x}", offset)
                                 : fmt::format("variable {}", variable->name);
    return input_error(fmt::format("{} holds an address, which is not supported", what))
        .hint("choose with if or switch, or keep char arrays in place of pointers to strings");
  }

  Result<std::optional<TypeId>> place_variables(std::uint32_t index) {
    const ElfSection& section = elf_.sections[index];
    std::map<std::string_view, std::uint64_t> offsets;
    for (const ElfSymbol& symbol : elf_.symbols) {
      if (symbol.section == index && symbol.type == STT_OBJECT) {
        offsets.emplace(symbol.name, symbol.value);
      }
    }
    const auto offset_of = [&](std::string_view variable) -> std::optional<std::uint64_t> {
      const auto found = offsets.find(variable);
      if (found == offsets.end()) return std::nullopt;
      return found->second;
    };
    return object_.btf.place_section(section.name, static_cast<std::uint32_t>(section.size),
                                     offset_of);
  }

  const ElfFile& elf_;
  Object& object_;
  std::set<std::string_view> names_;
  std::uint64_t read_only_bytes_ = 0;
  DataSections sections_;
};

}  // namespace

Result<DataSections> load_data_sections(const ElfFile& elf, Object& object) {
  return DataLoader(elf, object).run();
}

}  // namespace egpu::bpf
