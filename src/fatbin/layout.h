// The entries of a fatbin region, as nvcc and fatbinary 13.0 write them: established by compiling
// one kernel in every mode (-no-compress, --compress-mode=*, -rdc, -G, -lineinfo, lto_90, sm_90,
// sm_90a, sm_100, sm_100a, sm_100f, ...) and comparing; nvcc_test.cc repeats it wherever there is
// an nvcc.
//
//   region  FatbinHeader (abi/fatbin_wrapper.h), entries up to its size; the next region follows
//           directly or after zeros up to a multiple of 8
//   entry   EntryHeader, its strings up to header_size, payload of payload_size bytes (a multiple
//           of 8, zeros at the end)
#pragma once

#include <cstddef>
#include <cstdint>

namespace egpu::fatbin {

inline constexpr std::uint16_t kEntryVersion = 0x101;

enum EntryKind : std::uint16_t {
  kPtxEntry = 1,
  kElfEntry = 2,
  kLtoIrEntry = 8,
};

struct EntryHeader {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_size;  // 64 at least; with strings more
  std::uint64_t payload_size;
  std::uint32_t compressed_size;  // 0: stored as it is; then raw_size is 0 too
  std::uint32_t options_offset;   // in the header, of {u32 offset in the header, u32 size} of the
                                  // options' text; 0: none
  std::uint16_t minor;            // of the PTX version
  std::uint16_t major;
  std::uint32_t architecture;
  std::uint32_t name_offset;
  std::uint32_t name_size;
  std::uint64_t flags;
  std::uint64_t hash;  // of LTO-IR; 0 otherwise
  std::uint64_t raw_size;
};
static_assert(sizeof(EntryHeader) == 64);
static_assert(offsetof(EntryHeader, architecture) == 28);
static_assert(offsetof(EntryHeader, flags) == 40);
static_assert(offsetof(EntryHeader, raw_size) == 56);

// EntryHeader::flags. Others seen: 0x1 64-bit, 0x2 debug, 0x10 Linux, 0x10000 LTO, 0x1000000 sm_100
// and later.
inline constexpr std::uint64_t kFlagLz4 = 0x2000;
inline constexpr std::uint64_t kFlagZstd = 0x8000;
inline constexpr std::uint64_t kFlagArchitectureSpecific = 0x100000;  // sm_90a
inline constexpr std::uint64_t kFlagFamilySpecific = 0x200000;        // sm_100f

}  // namespace egpu::fatbin
