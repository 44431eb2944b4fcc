// Where the elements of a map lie in its memory (abi/map_layout.h), for reads and writes of single
// ones.
#pragma once

#include <cstdint>
#include <optional>

#include "abi/protocol.h"
#include "base/bytes.h"

namespace egpu::maps {

// An element's value: one part, or one for each shard.
struct Parts {
  std::uint64_t offset = 0;  // of the first, from the start of the map's memory
  std::uint64_t stride = 0;  // from one to the next
  std::uint32_t count = 1;
};

// `index` < max_entries.
Parts array_parts(const abi::MapSpec& map, std::uint32_t shards, std::uint32_t index);

// `slot` < abi::hash_slots(max_entries).
Parts hash_parts(const abi::MapSpec& map, std::uint32_t shards, std::uint64_t slot);

// The slots of a hash: how many bytes each has, and where the first is.
std::uint64_t slot_stride(const abi::MapSpec& map);
std::uint64_t slot_offset(const abi::MapSpec& map, std::uint64_t slot);

// The slot behind which (it included) `key` is looked for. `key`: of map.key_size bytes.
std::uint64_t home_slot(const abi::MapSpec& map, Bytes key);

// How many slots behind `home`, a copy of one, its keys may lie.
std::uint64_t reach_of(const abi::MapSpec& map, Bytes home_untrusted);

// Where `slot`, a copy of one, holds the key: a number that changes when the slot gets another.
std::optional<std::uint64_t> version_of(const abi::MapSpec& map, Bytes slot_untrusted, Bytes key);

}  // namespace egpu::maps
