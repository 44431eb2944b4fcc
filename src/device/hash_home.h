// Where a hash looks for a key, by the runtime's own function (hash_map.c).
#pragma once

#include <cstdint>

namespace egpu::device {

// The index of the slot. `key`: the address of key_size bytes.
extern "C" std::uint64_t egpu_hash_home(std::uint64_t key, std::uint32_t key_size,
                                        std::uint32_t max_entries);

}  // namespace egpu::device
