// Map definitions as BTF describes them: the variables of section .maps.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "bpf/btf.h"
#include "bpf/elf_file.h"
#include "bpf/object.h"

namespace egpu::bpf {

inline constexpr std::uint32_t kMaxMapValueBytes = 1U << 20;
// Of each SM's ring, where the program does not say.
inline constexpr std::uint32_t kOwnRingBytes = 256U << 10;

// A map and where its definition lies in section .maps: what relocations refer to.
struct PlacedMap {
  MapDefinition definition;
  std::uint64_t offset = 0;
};

// All maps of an object, in the order of their offsets. Refuses by name what this version does not
// support.
Result<std::vector<PlacedMap>> read_map_definitions(const ElfFile& elf, const Btf& btf);

}  // namespace egpu::bpf
