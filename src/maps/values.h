// The entries of a map, from copies of its memory: shards of a PERCPU map added up, in one instance
// (a context on a device) and over several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "abi/protocol.h"
#include "base/bytes.h"
#include "base/result.h"
#include "bpf/object.h"
#include "maps/field.h"

namespace egpu::maps {

// All maps of one instance: a slot of a snapshot area.
struct Copy {
  Bytes slot;
  std::uint32_t shards = 1;
};

struct Entry {
  std::vector<std::byte> key;    // key_size bytes
  std::vector<std::byte> value;  // value_size bytes
};

// What a map refused since it was made.
struct Refusals {
  std::uint64_t full = 0;  // updates that found no room
  std::uint64_t busy = 0;  // operations that gave up, for others were at work on the same keys
};

struct Entries {
  std::vector<Entry> entries;  // in key order; those of arrays that are zeros alone are left out
  std::uint64_t zero_entries = 0;         // and counted here
  std::optional<Refusals> refusals = {};  // of kinds that count them
};

// The maps as the injected library allocates them, in the object's order.
std::vector<abi::MapSpec> map_specs(const bpf::Object& object);

// Whether the map is a section of the program's variables (.data, .bss) rather than one that the
// program defines.
bool is_data_section(const bpf::MapDefinition& map);

// The field tree of a map's values.
Field value_fields(const bpf::Object& object, const bpf::MapDefinition& map);

// The field tree of its keys: of an array one number, which may be a kernel or an enumerator.
Field key_fields(const bpf::Object& object, const bpf::MapDefinition& map);

// Entries of object.maps[map]; a data section's one entry is there even where it is all zeros.
// Integers (bit-fields too) are added modulo their width; flags are or-ed; of an enumeration, a
// kernel, a text or a pointer the first copy that is not zero counts. Fails where a slot is smaller
// than the maps, where a value has parts that cannot be added, and where a map without shards comes
// in more than one copy.
Result<Entries> read_entries(const bpf::Object& object, std::size_t map,
                             std::span<const Copy> copies);

// One value from its parts, of value_size bytes each: shards of one instance or of several, added
// up as read_entries() does.
Result<std::vector<std::byte>> add_parts(const bpf::Object& object, std::size_t map, Bytes parts);

}  // namespace egpu::maps
