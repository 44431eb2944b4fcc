// A map definition as those see it who lay out and allocate its memory (abi/map_layout.h).
#pragma once

#include <algorithm>

#include "abi/protocol.h"
#include "bpf/object.h"

namespace egpu::bpf {

inline abi::MapSpec map_spec(const MapDefinition& map) {
  const bool zeros = std::ranges::all_of(map.initial, [](std::byte b) { return b == std::byte{}; });
  return {.kind = map.sum_bytes != 0 ? abi::MapKind::kSums : static_cast<abi::MapKind>(map.type),
          .key_size = map.key_size,
          .value_size = map.value_size,
          .max_entries = map.max_entries,
          .initial = zeros ? 0U : 1U};
}

}  // namespace egpu::bpf
