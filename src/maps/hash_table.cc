#include "maps/hash_table.h"

#include "abi/map_layout.h"

namespace egpu::maps {

HashContents read_hash_table(Bytes table_untrusted, const abi::MapSpec& map) {
  const std::uint64_t stride = abi::hash_slot_bytes(map.key_size);
  HashContents contents{
      .elements = {},
      .overflows = read_at<std::uint64_t>(table_untrusted, abi::kHashOverflowOffset).value_or(0),
      .give_ups = read_at<std::uint64_t>(table_untrusted, abi::kHashBusyOffset).value_or(0)};
  for (std::uint64_t i = 0; i < abi::hash_slots(map.max_entries); ++i) {
    const Bytes slot = table_untrusted.subspan(abi::kHashHeaderBytes + i * stride, stride);
    if ((read_at<std::uint64_t>(slot, 0).value_or(0) & abi::kSlotStates) != abi::kSlotShown)
      continue;
    contents.elements.push_back(
        {.slot = i, .key = slot.subspan(abi::hash_key_offset(map.key_size), map.key_size)});
  }
  return contents;
}

}  // namespace egpu::maps
