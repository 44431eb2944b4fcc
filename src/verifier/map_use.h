// What checked programs do with the values of a map: where it may lie in memory, and which of its
// look-ups may be answered from a cache, follows from that.
#pragma once

#include <cstdint>
#include <vector>

namespace egpu::verifier {

struct MapUse {
  bool loads = false;  // a plain load, or a helper that reads memory, reads a value
  // Anything but a load and but an addition whose result nobody asks for: a store, another atomic
  // operation, a helper that changes or lists elements, additions of several widths.
  bool changes = false;
  bool deletes = false;           // bpf_map_delete_elem
  std::uint32_t added_bytes = 0;  // 4 or 8: every addition's width; 0: there is none

  MapUse& operator|=(const MapUse& other) {
    loads |= other.loads;
    changes |= other.changes;
    deletes |= other.deletes;
    if (added_bytes == 0) added_bytes = other.added_bytes;
    if (other.added_bytes != 0 && other.added_bytes != added_bytes) changes = true;
    return *this;
  }
};

// Of each map of an object.
using MapUses = std::vector<MapUse>;

}  // namespace egpu::verifier
