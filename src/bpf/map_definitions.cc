#include "bpf/map_definitions.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

namespace egpu::bpf {
namespace {

constexpr std::uint32_t kIndexBytes = 4;
constexpr std::uint32_t kMaxKeyBytes = 512;
constexpr std::uint32_t kMaxEntries = 1U << 26;

constexpr std::uint32_t kLeastRingBytes = 4096;
constexpr std::uint32_t kMostRingBytes = 1U << 24;  // each SM has one
constexpr std::uint64_t kMaxValueBytes = std::uint64_t{1} << 40;

constexpr const char* kTypesHint =
    "supported: BPF_MAP_TYPE_ARRAY, BPF_MAP_TYPE_PERCPU_ARRAY, BPF_MAP_TYPE_HASH, "
    "BPF_MAP_TYPE_PERCPU_HASH, BPF_MAP_TYPE_LRU_HASH, BPF_MAP_TYPE_QUEUE, BPF_MAP_TYPE_STACK, "
    "BPF_MAP_TYPE_RINGBUF, BPF_MAP_TYPE_PERF_EVENT_ARRAY";

// Linux numbers of map types, for messages alone.
constexpr const char* kMapTypeNames[] = {
    "BPF_MAP_TYPE_UNSPEC",
    "BPF_MAP_TYPE_HASH",
    "BPF_MAP_TYPE_ARRAY",
    "BPF_MAP_TYPE_PROG_ARRAY",
    "BPF_MAP_TYPE_PERF_EVENT_ARRAY",
    "BPF_MAP_TYPE_PERCPU_HASH",
    "BPF_MAP_TYPE_PERCPU_ARRAY",
    "BPF_MAP_TYPE_STACK_TRACE",
    "BPF_MAP_TYPE_CGROUP_ARRAY",
    "BPF_MAP_TYPE_LRU_HASH",
    "BPF_MAP_TYPE_LRU_PERCPU_HASH",
    "BPF_MAP_TYPE_LPM_TRIE",
    "BPF_MAP_TYPE_ARRAY_OF_MAPS",
    "BPF_MAP_TYPE_HASH_OF_MAPS",
    "BPF_MAP_TYPE_DEVMAP",
    "BPF_MAP_TYPE_SOCKMAP",
    "BPF_MAP_TYPE_CPUMAP",
    "BPF_MAP_TYPE_XSKMAP",
    "BPF_MAP_TYPE_SOCKHASH",
    "BPF_MAP_TYPE_CGROUP_STORAGE",
    "BPF_MAP_TYPE_REUSEPORT_SOCKARRAY",
    "BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE",
    "BPF_MAP_TYPE_QUEUE",
    "BPF_MAP_TYPE_STACK",
    "BPF_MAP_TYPE_SK_STORAGE",
    "BPF_MAP_TYPE_DEVMAP_HASH",
    "BPF_MAP_TYPE_STRUCT_OPS",
    "BPF_MAP_TYPE_RINGBUF",
    "BPF_MAP_TYPE_INODE_STORAGE",
    "BPF_MAP_TYPE_TASK_STORAGE",
    "BPF_MAP_TYPE_BLOOM_FILTER",
    "BPF_MAP_TYPE_USER_RINGBUF",
    "BPF_MAP_TYPE_CGRP_STORAGE",
    "BPF_MAP_TYPE_ARENA",
};

std::string map_type_name(std::uint32_t type) {
  return type < std::size(kMapTypeNames) ? std::string(kMapTypeNames[type])
                                         : fmt::format("map type {}", type);
}

// Reads one map from its BTF struct.
class MapReader {
 public:
  MapReader(const Btf& btf, std::string name) : btf_(btf), name_(std::move(name)) {}

  Result<MapDefinition> read(const Composite& definition) {
    for (const Member& member : definition.members) EGPU_TRY(read_member(member));
    return finish();
  }

  [[nodiscard]] Error refuse(std::string why, std::string remedy = {}) const {
    return input_error(std::move(why)).at(fmt::format("map {}", name_)).hint(std::move(remedy));
  }

 private:
  Result<void> read_member(const Member& member) {
    if (member.name == "type") return set_number(member, type_);
    if (member.name == "max_entries") return set_number(member, max_entries_);
    if (member.name == "key_size") return set_number(member, key_size_);
    if (member.name == "value_size") return set_number(member, value_size_);
    if (member.name == "key") return pointed_type(member, key_type_);
    if (member.name == "value") return pointed_type(member, value_type_);
    if (member.name == "values") {
      return refuse("maps in maps and program arrays are not supported", kTypesHint);
    }
    if (member.name == "map_flags" || member.name == "pinning") return expect_zero(member);
    return refuse(fmt::format("attribute {} is not supported", member.name),
                  "supported: type, max_entries, key, value, key_size, value_size");
  }

  // __uint(name, value) is `int (*name)[value]`.
  [[nodiscard]] Result<std::uint32_t> number(const Member& member) const {
    const auto* const pointer = btf_.resolve_as<Pointer>(member.type);
    const auto* const array = pointer ? btf_.resolve_as<Array>(pointer->target) : nullptr;
    if (array == nullptr) {
      return refuse(fmt::format("attribute {} is not a number", member.name),
                    fmt::format("write __uint({}, N)", member.name));
    }
    return array->count;
  }

  Result<void> set_number(const Member& member, std::optional<std::uint32_t>& result) const {
    EGPU_ASSIGN(result, number(member));
    return {};
  }

  [[nodiscard]] Result<void> expect_zero(const Member& member) const {
    EGPU_ASSIGN(const std::uint32_t value, number(member));
    if (value == 0) return {};
    return refuse(fmt::format("{} = {:#x} is not supported", member.name, value),
                  fmt::format("leave {} out", member.name));
  }

  // __type(name, type) is `type *name`.
  Result<void> pointed_type(const Member& member, std::optional<TypeId>& result) const {
    const auto* const pointer = btf_.resolve_as<Pointer>(member.type);
    if (pointer == nullptr || !btf_.size_of(pointer->target)) {
      return refuse(fmt::format("attribute {} is not a type with a size", member.name),
                    fmt::format("write __type({}, TYPE)", member.name));
    }
    result = pointer->target;
    return {};
  }

  // The size that was given, or that of the type; both where they agree.
  Result<std::uint32_t> size(const char* what, std::optional<std::uint32_t> given,
                             std::optional<TypeId> type) const {
    if (!given && !type) {
      return refuse(fmt::format("the {} has no type and no size", what),
                    fmt::format("write __type({}, TYPE)", what));
    }
    const std::uint64_t bytes = type ? btf_.size_of(*type).value_or(0) : given.value_or(0);
    if (given && *given != bytes) {
      return refuse(fmt::format("{}_size is {}, but the type has {} bytes", what, *given, bytes),
                    fmt::format("leave {}_size out", what));
    }
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, ~std::uint32_t{0}));
  }

  [[nodiscard]] Result<std::uint32_t> key_bytes(MapType type) const {
    if (is_queue(type)) {
      if (!key_type_ && key_size_.value_or(0) == 0) return 0U;
      return refuse("a queue or stack has no keys", "leave key and key_size out");
    }
    EGPU_ASSIGN(const std::uint32_t bytes, size("key", key_size_, key_type_));
    if (is_array(type) && bytes != kIndexBytes) {
      return refuse(fmt::format("the key of an array has {} bytes, not 4", bytes),
                    "write __type(key, __u32)");
    }
    if (bytes == 0 || bytes > kMaxKeyBytes) {
      return refuse(
          fmt::format("a key of {} bytes is not between 1 and {} bytes", bytes, kMaxKeyBytes));
    }
    return bytes;
  }

  Result<MapDefinition> finish() const {
    if (!type_) return refuse("the map has no type", "write __uint(type, BPF_MAP_TYPE_ARRAY)");
    const auto type = static_cast<MapType>(*type_);
    if (type == MapType::kRingbuf) return ring();
    if (type == MapType::kPerfEventArray) return perf_events();
    if (!is_array(type) && !is_hash(type) && !is_queue(type)) {
      return refuse(fmt::format("{} is not supported", map_type_name(*type_)), kTypesHint);
    }
    EGPU_ASSIGN(const std::uint32_t key_size, key_bytes(type));
    EGPU_ASSIGN(const std::uint32_t value_size, size("value", value_size_, value_type_));
    if (value_size == 0 || value_size > kMaxMapValueBytes) {
      return refuse(fmt::format("a value of {} bytes is not between 1 byte and 1 MiB", value_size));
    }
    const std::uint32_t entries = max_entries_.value_or(0);
    if (entries == 0 || entries > kMaxEntries) {
      return refuse(fmt::format("max_entries {} is not between 1 and {}", entries, kMaxEntries),
                    "write __uint(max_entries, N)");
    }
    if (std::uint64_t{value_size} * entries > kMaxValueBytes) {
      return refuse(fmt::format("{} values of {} bytes are more than 1 TiB", entries, value_size));
    }
    return MapDefinition{.name = name_,
                         .type = type,
                         .key_size = key_size,
                         .value_size = value_size,
                         .max_entries = entries,
                         .key_type = key_type_,
                         .value_type = value_type_};
  }

  // Its values are the records, of any size; a type tells how they are printed.
  [[nodiscard]] Result<MapDefinition> ring() const {
    if (key_size_.value_or(0) != 0 || key_type_) {
      return refuse("a ring buffer has no keys", "leave key out");
    }
    const std::uint32_t bytes = max_entries_.value_or(0);
    if (!std::has_single_bit(bytes) || bytes < kLeastRingBytes || bytes > kMostRingBytes) {
      return refuse(fmt::format("max_entries {} is no power of two between {} and {}", bytes,
                                kLeastRingBytes, kMostRingBytes),
                    "write __uint(max_entries, 256 * 1024): the bytes of each SM's ring");
    }
    std::uint32_t value_size = 0;
    if (value_size_ || value_type_) {
      EGPU_ASSIGN(value_size, size("value", value_size_, value_type_));
    }
    return MapDefinition{.name = name_,
                         .type = MapType::kRingbuf,
                         .key_size = 0,
                         .value_size = value_size,
                         .max_entries = bytes,
                         .key_type = {},
                         .value_type = value_type_};
  }

  // For Linux keys and values are numbers of 4 bytes and there is an entry for each CPU, which says
  // nothing here; a struct as the value is the type of the records.
  [[nodiscard]] Result<MapDefinition> perf_events() const {
    const bool has_type = value_type_ && btf_.resolve_as<Composite>(*value_type_) != nullptr;
    std::uint32_t value_size = 0;
    if (has_type) {
      EGPU_ASSIGN(value_size, size("value", value_size_, value_type_));
    }
    return MapDefinition{.name = name_,
                         .type = MapType::kPerfEventArray,
                         .key_size = 0,
                         .value_size = value_size,
                         .max_entries = kOwnRingBytes,
                         .key_type = {},
                         .value_type = has_type ? value_type_ : std::nullopt};
  }

  const Btf& btf_;
  std::string name_;
  std::optional<std::uint32_t> type_;
  std::optional<std::uint32_t> max_entries_;
  std::optional<std::uint32_t> key_size_;
  std::optional<std::uint32_t> value_size_;
  std::optional<TypeId> key_type_;
  std::optional<TypeId> value_type_;
};

}  // namespace

Result<std::vector<PlacedMap>> read_map_definitions(const ElfFile& elf, const Btf& btf) {
  constexpr std::string_view kSection = ".maps";
  if (elf.find_section("maps") != nullptr) {
    return input_error("legacy map definitions are not supported")
        .at("section maps")
        .hint("define maps with __uint and __type in SEC(\".maps\")");
  }
  const DataSection* const section = btf.find_section(kSection);
  std::vector<PlacedMap> maps;
  for (const SectionVariable& entry :
       section ? section->variables : std::vector<SectionVariable>()) {
    const Type& variable_type = btf.type(entry.variable);
    const auto* const variable = std::get_if<Variable>(&variable_type.shape);
    MapReader reader(btf, variable_type.name);
    const auto* const definition = variable ? btf.resolve_as<Composite>(variable->type) : nullptr;
    const auto symbol = std::ranges::find_if(elf.symbols, [&](const ElfSymbol& candidate) {
      return candidate.type == STT_OBJECT && candidate.name == variable_type.name &&
             candidate.section < elf.sections.size() &&
             elf.sections[candidate.section].name == kSection;
    });
    if (definition == nullptr || symbol == elf.symbols.end()) {
      return reader.refuse("this is not a map definition",
                           "define maps with __uint and __type in SEC(\".maps\")");
    }
    EGPU_ASSIGN(MapDefinition map, reader.read(*definition));
    maps.push_back({std::move(map), symbol->value});
  }
  std::ranges::sort(maps, {}, &PlacedMap::offset);
  return maps;
}

}  // namespace egpu::bpf
