#include "maps/places.h"

#include <algorithm>

#include "abi/map_layout.h"
#include "device/hash_home.h"

namespace egpu::maps {
namespace {

std::uint32_t array_shards(const abi::MapSpec& map, std::uint32_t shards) {
  if (map.kind == abi::MapKind::kSums) return shards * abi::kSumShards;
  return map.kind == abi::MapKind::kPercpuArray ? shards : 1;
}

}  // namespace

Parts array_parts(const abi::MapSpec& map, std::uint32_t shards, std::uint32_t index) {
  return {.offset = index * abi::value_stride(map.value_size),
          .stride = abi::array_bytes(map.value_size, map.max_entries),
          .count = array_shards(map, shards)};
}

Parts hash_parts(const abi::MapSpec& map, std::uint32_t shards, std::uint64_t slot) {
  return {.offset = abi::hash_table_bytes(map.key_size, map.max_entries) +
                    slot * abi::value_stride(map.value_size),
          .stride = abi::hash_shard_bytes(map.value_size, map.max_entries),
          .count = map.kind == abi::MapKind::kPercpuHash ? shards : 1};
}

std::uint64_t slot_stride(const abi::MapSpec& map) { return abi::hash_slot_bytes(map.key_size); }

std::uint64_t slot_offset(const abi::MapSpec& map, std::uint64_t slot) {
  return abi::kHashHeaderBytes + slot * slot_stride(map);
}

std::uint64_t home_slot(const abi::MapSpec& map, Bytes key) {
  return device::egpu_hash_home(reinterpret_cast<std::uint64_t>(key.data()), map.key_size,
                                map.max_entries);
}

std::uint64_t reach_of(const abi::MapSpec& map, Bytes home_untrusted) {
  const std::uint64_t slots = abi::hash_slots(map.max_entries);
  const std::uint64_t most = std::min<std::uint64_t>(slots, abi::kHashMaxReach) - 1;
  const std::uint64_t reach =
      read_at<std::uint32_t>(home_untrusted, abi::kHashHomeOffset).value_or(0) &
      abi::kHashReachMask;
  return std::min(reach, most);
}

std::optional<std::uint64_t> version_of(const abi::MapSpec& map, Bytes slot_untrusted, Bytes key) {
  const auto meta = read_at<std::uint64_t>(slot_untrusted, 0);
  const auto stored = slice(slot_untrusted, abi::hash_key_offset(map.key_size), map.key_size);
  if (!meta || !stored || (*meta & abi::kSlotStates) != abi::kSlotShown) return std::nullopt;
  return std::ranges::equal(*stored, key) ? meta : std::nullopt;
}

}  // namespace egpu::maps
