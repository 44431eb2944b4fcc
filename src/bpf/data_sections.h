// Global variables: .data and .bss become maps with one value, .rodata becomes read-only bytes.
#pragma once

#include <cstdint>
#include <map>

#include "base/result.h"
#include "bpf/decode.h"
#include "bpf/elf_file.h"
#include "bpf/object.h"

namespace egpu::bpf {

inline constexpr std::uint64_t kMaxReadOnlyBytes = std::uint64_t{1} << 20;  // of all sections

// What a data section has become.
struct PlacedData {
  ReferenceKind kind = ReferenceKind::kMapData;  // or kReadOnly
  std::uint32_t index = 0;                       // in Object::maps or Object::read_only
  std::uint64_t size = 0;                        // bytes
};

// By index in ElfFile::sections.
using DataSections = std::map<std::uint32_t, PlacedData>;

// Adds the data sections of the file to object.maps and object.read_only, and gives the variables
// in object.btf their places. Refuses data that holds addresses.
Result<DataSections> load_data_sections(const ElfFile& elf, Object& object);

}  // namespace egpu::bpf
