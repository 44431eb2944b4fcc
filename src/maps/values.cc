#include "maps/values.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "abi/map_layout.h"
#include "abi/snapshot.h"
#include "bpf/map_spec.h"
#include "maps/hash_table.h"
#include "maps/scalar.h"

namespace egpu::maps {
namespace {

bool is_zero(Bytes bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

// The memory of a map in one copy.
Result<Bytes> memory_of(const bpf::Object& object, std::size_t map, const Copy& copy) {
  const std::vector<abi::MapSpec> specs = map_specs(object);
  const auto memory = slice(copy.slot, abi::map_offset(specs.data(), map, copy.shards),
                            abi::map_bytes(specs[map], copy.shards));
  if (memory) return *memory;
  return internal_error("a snapshot is smaller than its maps").at("map " + object.maps[map].name);
}

// All shards in all copies of an array: max_entries values each.
Result<std::vector<Bytes>> shards_of(const bpf::Object& object, std::size_t map,
                                     std::span<const Copy> copies) {
  const bpf::MapDefinition& definition = object.maps[map];
  const std::uint64_t stride = abi::array_bytes(definition.value_size, definition.max_entries);
  std::vector<Bytes> shards;
  for (const Copy& copy : copies) {
    EGPU_ASSIGN(const Bytes memory, memory_of(object, map, copy));
    for (std::uint64_t start = 0; start < memory.size(); start += stride)
      shards.push_back(memory.subspan(start, stride));
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
    case FieldKind::kKernel:
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

// As programs added to it: number by number of `width` bytes.
void add_numbers(std::span<std::byte> total, Bytes part, std::uint32_t width) {
  const std::uint64_t bits = std::uint64_t{8} * width;
  for (std::uint64_t at = 0; at + width <= total.size(); at += width)
    store_bits(total, 8 * at, bits, load_bits(total, 8 * at, bits) + load_bits(part, 8 * at, bits));
}

void add_part(const bpf::MapDefinition& map, const std::vector<Field>& leaves,
              std::span<std::byte> total, Bytes part) {
  if (map.sum_bytes != 0) return add_numbers(total, part, map.sum_bytes);
  for (const Field& leaf : leaves) add_leaf(total, part, leaf);
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

namespace {

std::vector<std::byte> index_bytes(std::uint32_t index) {
  const auto bytes = std::as_bytes(std::span(&index, 1));
  return {bytes.begin(), bytes.end()};
}

Result<Entries> read_array(const bpf::Object& object, std::size_t map, std::span<const Copy> copies,
                           const std::vector<Field>& leaves) {
  const bpf::MapDefinition& definition = object.maps[map];
  EGPU_ASSIGN(const std::vector<Bytes> shards, shards_of(object, map, copies));
  Entries result;
  const std::uint64_t stride = abi::value_stride(definition.value_size);
  for (std::uint32_t index = 0; index < definition.max_entries; ++index) {
    std::optional<std::vector<std::byte>> total;
    for (const Bytes shard : shards) {
      const Bytes part = shard.subspan(index * stride, definition.value_size);
      if (is_zero(part)) continue;
      if (!total) {
        total.emplace(part.begin(), part.end());
        continue;
      }
      add_part(definition, leaves, *total, part);
    }
    if (!total && is_data_section(definition)) total.emplace(definition.value_size);
    if (total && (is_data_section(definition) || !is_zero(*total)))
      result.entries.push_back({.key = index_bytes(index), .value = *std::move(total)});
    else
      ++result.zero_entries;
  }
  return result;
}

// Keys in the order of their fields; what is no number, byte by byte.
bool is_before(const std::vector<Field>& leaves, Bytes a, Bytes b) {
  for (const Field& leaf : leaves) {
    if (leaf.kind == FieldKind::kText || leaf.kind == FieldKind::kBytes) continue;
    const std::uint64_t left = load_bits(a, leaf.bit_offset, leaf.bit_size);
    const std::uint64_t right = load_bits(b, leaf.bit_offset, leaf.bit_size);
    if (left == right) continue;
    if (leaf.kind != FieldKind::kSigned) return left < right;
    return sign_extend(left, leaf.bit_size) < sign_extend(right, leaf.bit_size);
  }
  return std::ranges::lexicographical_compare(a, b);
}

Result<Entries> read_hash(const bpf::Object& object, std::size_t map, std::span<const Copy> copies,
                          const std::vector<Field>& leaves) {
  const bpf::MapDefinition& definition = object.maps[map];
  const abi::MapSpec spec = bpf::map_spec(definition);
  const bool sharded = bpf::is_percpu(definition.type);
  const std::uint64_t table_bytes = abi::hash_table_bytes(spec.key_size, spec.max_entries);
  const std::uint64_t shard_bytes = abi::hash_shard_bytes(spec.value_size, spec.max_entries);
  std::map<std::vector<std::byte>, std::vector<std::byte>> totals;
  Refusals refusals;
  for (const Copy& copy : copies) {
    EGPU_ASSIGN(const Bytes memory, memory_of(object, map, copy));
    const HashContents contents = read_hash_table(memory.first(table_bytes), spec);
    refusals.full += contents.overflows;
    refusals.busy += contents.give_ups;
    for (const HashElement& element : contents.elements) {
      const auto value_in = [&](std::uint32_t shard) {
        return memory.subspan(
            table_bytes + shard * shard_bytes + element.slot * abi::value_stride(spec.value_size),
            spec.value_size);
      };
      auto& total = totals[{element.key.begin(), element.key.end()}];
      total.resize(spec.value_size);
      if (!sharded) std::ranges::copy(value_in(0), total.begin());
      for (std::uint32_t shard = 0; sharded && shard < copy.shards; ++shard)
        for (const Field& leaf : leaves) add_leaf(total, value_in(shard), leaf);
    }
  }
  Entries result{.entries = {}, .refusals = refusals};
  for (auto& [key, value] : totals) result.entries.push_back({.key = key, .value = value});
  const std::vector<Field> key_leaves = flatten(key_fields(object, definition));
  std::ranges::sort(result.entries, [&](const Entry& a, const Entry& b) {
    return is_before(key_leaves, a.key, b.key);
  });
  return result;
}

// Its values from the oldest on, which are numbered.
Result<Entries> read_queue(const bpf::Object& object, std::size_t map, const Copy& copy) {
  const bpf::MapDefinition& definition = object.maps[map];
  EGPU_ASSIGN(const Bytes memory, memory_of(object, map, copy));
  const auto number = [&](std::uint64_t offset) {
    return read_at<std::uint64_t>(memory, offset).value_or(0);
  };
  Entries result{.entries = {},
                 .refusals = Refusals{.full = number(abi::kQueueOverflowOffset),
                                      .busy = number(abi::kQueueBusyOffset)}};
  const std::uint64_t first = number(abi::kQueueFirstOffset);
  // What a snapshot holds may be from two moments.
  const std::uint64_t count =
      std::min<std::uint64_t>(number(abi::kQueueEndOffset) - first, definition.max_entries);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t place = (first + i) % definition.max_entries;
    const Bytes value =
        memory.subspan(abi::kQueueHeaderBytes + place * abi::value_stride(definition.value_size),
                       definition.value_size);
    result.entries.push_back({.key = index_bytes(i), .value = {value.begin(), value.end()}});
  }
  return result;
}

}  // namespace

Field key_fields(const bpf::Object& object, const bpf::MapDefinition& map) {
  if (bpf::is_hash(map.type)) return describe(object.btf, map.key_type, map.key_size);
  Field number = describe(object.btf, {}, sizeof(std::uint32_t));
  if (!bpf::is_array(map.type)) return number;
  Field key = describe(object.btf, map.key_type, map.key_size);
  if (key.kind == FieldKind::kKernel || key.kind == FieldKind::kEnum) return key;
  return number;
}

Result<Entries> read_entries(const bpf::Object& object, std::size_t map,
                             std::span<const Copy> copies) {
  const bpf::MapDefinition& definition = object.maps[map];
  const std::vector<Field> leaves = flatten(value_fields(object, definition));
  if (bpf::is_percpu(definition.type))
    EGPU_TRY(check_can_add(definition, leaves));
  else if (copies.size() > 1)
    return internal_error("a map without shards cannot be added up over several instances")
        .at("map " + definition.name);
  if (bpf::is_queue(definition.type)) return read_queue(object, map, copies[0]);
  return bpf::is_hash(definition.type) ? read_hash(object, map, copies, leaves)
                                       : read_array(object, map, copies, leaves);
}

Result<std::vector<std::byte>> add_parts(const bpf::Object& object, std::size_t map, Bytes parts) {
  const bpf::MapDefinition& definition = object.maps[map];
  const std::size_t size = definition.value_size;
  const Bytes first = parts.first(size);
  std::vector<std::byte> total(first.begin(), first.end());
  if (parts.size() == size) return total;
  const std::vector<Field> leaves = flatten(value_fields(object, definition));
  if (definition.sum_bytes == 0) EGPU_TRY(check_can_add(definition, leaves));
  for (std::size_t at = size; at < parts.size(); at += size)
    add_part(definition, leaves, total, parts.subspan(at, size));
  return total;
}

}  // namespace egpu::maps
