#include "maps/values.h"

#include <algorithm>
#include <optional>
#include <string>

#include "abi/map_layout.h"
#include "abi/snapshot.h"
#include "bpf/map_spec.h"
#include "maps/scalar.h"

namespace egpu::maps {
namespace {

bool is_zero(Bytes bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

// One shard of one copy: an array of max_entries values.
using Shard = Bytes;

Result<std::vector<Shard>> shards_of(const bpf::Object& object, std::size_t map,
                                     std::span<const Copy> copies) {
  const std::vector<abi::MapSpec> specs = map_specs(object);
  const abi::MapSpec& spec = specs[map];
  const std::uint64_t stride = abi::array_bytes(spec.value_size, spec.max_entries);
  std::vector<Shard> shards;
  for (const Copy& copy : copies) {
    const std::uint64_t start = abi::map_offset(specs.data(), map, copy.shards);
    for (std::uint32_t i = 0; i < (bpf::is_percpu(object.maps[map].type) ? copy.shards : 1); ++i) {
      const auto shard = slice(copy.slot, start + i * stride, stride);
      if (!shard)
        return internal_error("a snapshot is smaller than its maps")
            .at("map " + object.maps[map].name);
      shards.push_back(*shard);
    }
  }
  return shards;
}

void add_leaf(std::span<std::byte> total, Bytes part, const Field& leaf) {
  const std::uint64_t offset = leaf.bit_offset;
  const std::uint64_t bits = leaf.bit_size;
  switch (leaf.kind) {
    case FieldKind::kUnsigned:
    case FieldKind::kSigned:
      store_bits(total, offset, bits,
                 load_bits(total, offset, bits) + load_bits(part, offset, bits));
      return;
    case FieldKind::kBool:
      store_bits(total, offset, bits,
                 load_bits(total, offset, bits) | load_bits(part, offset, bits));
      return;
    case FieldKind::kEnum:
    case FieldKind::kPointer:
      if (load_bits(total, offset, bits) == 0)
        store_bits(total, offset, bits, load_bits(part, offset, bits));
      return;
    case FieldKind::kText: {
      const auto bytes = total.subspan(offset / 8, bits / 8);
      if (is_zero(bytes)) std::ranges::copy(part.subspan(offset / 8, bits / 8), bytes.begin());
      return;
    }
    case FieldKind::kBytes:
    case FieldKind::kStruct:
    case FieldKind::kArray:
      return;  // read_entries refuses the first; flatten() leaves none of the others
  }
}

Result<void> check_can_add(const bpf::MapDefinition& map, const std::vector<Field>& leaves) {
  for (const Field& leaf : leaves) {
    if (leaf.kind != FieldKind::kBytes) continue;
    return input_error("the shards of field " + leaf.name +
                       " cannot be added: its type is not known as a number")
        .at("map " + map.name)
        .hint("give the map a value type of integers with __type(value, ...) and compile with -g");
  }
  return {};
}

}  // namespace

std::vector<abi::MapSpec> map_specs(const bpf::Object& object) {
  std::vector<abi::MapSpec> specs;
  specs.reserve(object.maps.size());
  for (const bpf::MapDefinition& map : object.maps) specs.push_back(bpf::map_spec(map));
  return specs;
}

bool is_data_section(const bpf::MapDefinition& map) { return !map.initial.empty(); }

Field value_fields(const bpf::Object& object, const bpf::MapDefinition& map) {
  return describe(object.btf, map.value_type, map.value_size);
}

Result<Entries> read_entries(const bpf::Object& object, std::size_t map,
                             std::span<const Copy> copies) {
  const bpf::MapDefinition& definition = object.maps[map];
  const std::vector<Field> leaves = flatten(value_fields(object, definition));
  EGPU_ASSIGN(const std::vector<Shard> shards, shards_of(object, map, copies));
  if (bpf::is_percpu(definition.type))
    EGPU_TRY(check_can_add(definition, leaves));
  else if (copies.size() > 1)
    return internal_error("an ARRAY map of several instances cannot be added up")
        .at("map " + definition.name);

  Entries result;
  const std::uint64_t stride = abi::value_stride(definition.value_size);
  for (std::uint64_t index = 0; index < definition.max_entries; ++index) {
    std::optional<std::vector<std::byte>> total;
    for (const Shard& shard : shards) {
      const Bytes part = shard.subspan(index * stride, definition.value_size);
      if (is_zero(part)) continue;
      if (!total) {
        total.emplace(part.begin(), part.end());
        continue;
      }
      for (const Field& leaf : leaves) add_leaf(*total, part, leaf);
    }
    if (!total && is_data_section(definition)) total.emplace(definition.value_size);
    if (total && (is_data_section(definition) || !is_zero(*total)))
      result.entries.push_back({.index = index, .value = *std::move(total)});
    else
      ++result.zero_entries;
  }
  return result;
}

}  // namespace egpu::maps
