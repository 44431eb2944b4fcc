// A copy of the memory of a hash, as device/hash_map.c leaves it (abi/map_layout.h).
#pragma once

#include <cstdint>
#include <vector>

#include "abi/protocol.h"
#include "base/bytes.h"

namespace egpu::maps {

struct HashElement {
  std::uint64_t slot;  // its place, also among the values of a shard
  Bytes key;           // part of the copy
};

struct HashContents {
  std::vector<HashElement> elements;  // in no order
  std::uint64_t overflows = 0;        // updates that found the map full
  std::uint64_t give_ups = 0;         // operations that gave up waiting for others
};

// `table_untrusted`: at least hash_table_bytes(). Whatever it holds, parts lie inside of it; a key
// may come twice where it moved while the copy was made.
HashContents read_hash_table(Bytes table_untrusted, const abi::MapSpec& map);

}  // namespace egpu::maps
