// How device code lies in a CUDA program's memory: what the injected library needs to learn how
// many bytes of an image it must send to the service. The service parses the content (src/fatbin).
// Plain data, no dependencies.
//
// A program compiled by nvcc registers one FatbinWrapper per translation unit (version 2: per
// device link); each points at one fatbin region. CUDA 12's runtime passes the wrapper's address to
// cuLibraryLoadData, others pass the region's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace egpu::abi {

// Source: fatbinary_section.h of the CUDA toolkit (11.0 to 13.0). Section .nvFatBinSegment of the
// host ELF file.
inline constexpr std::uint32_t kFatbinWrapperMagic = 0x466243B1;
inline constexpr std::uint32_t kFatbinWrapperPlain = 1;      // `other` is an unused file name
inline constexpr std::uint32_t kFatbinWrapperPrelinked = 2;  // an array of relocatable fatbins

struct FatbinWrapper {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint64_t data;  // address of a FatbinHeader
  std::uint64_t other;
};
static_assert(sizeof(FatbinWrapper) == 24);

// Source: fatbinary 13.0's output taken apart (as are all facts in src/fatbin/layout.h).
inline constexpr std::uint32_t kFatbinMagic = 0xBA55ED50;
inline constexpr std::uint16_t kFatbinVersion = 1;

struct FatbinHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_size;  // 16; the entries follow
  std::uint64_t size;         // of all entries, without this header
};
static_assert(sizeof(FatbinHeader) == 16);

// The bytes of the region `header` begins, or 0 where the header is not one that is understood.
constexpr std::uint64_t fatbin_bytes(const FatbinHeader& header) {
  if (header.magic != kFatbinMagic || header.version != kFatbinVersion) return 0;
  if (header.header_size < sizeof(FatbinHeader)) return 0;
  if (header.size > UINT64_MAX - header.header_size) return 0;
  return header.size + header.header_size;
}

}  // namespace egpu::abi
