// Fat binaries: what nvcc embeds and what applications hand to the driver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace egpu::fatbin {

enum class MemberKind { kPtx, kCubin, kOther };
enum class Compression { kNone, kLz4, kZstd, kUnknown };

struct Member {
  MemberKind kind;
  std::uint32_t kind_number;      // as stored; tells what kOther is (LTO-IR, relocatable PTX, ...)
  std::uint32_t architecture;     // 90 for sm_90 or compute_90
  std::uint64_t flags;
  Compression compression;
  Bytes stored;                   // inside the input
  std::uint64_t size;             // after decompression, as announced; untrusted
  std::optional<std::string> unsupported;  // why this member cannot be used: relocatable, LTO-IR, ...
};

// What an image handed to the driver is.
enum class ImageKind { kFatbin, kCubin, kPtx };
struct Image {
  ImageKind kind;
  std::vector<Member> members;  // one, uncompressed, for kCubin and kPtx
};

// Recognises a fatbin (magic 0xBA55ED50, several concatenated too), a cubin (ELF, machine 190) or PTX text.
// `image_untrusted` must outlive the result. Never reads outside it.
Result<Image> parse_image(Bytes image_untrusted);

// The member's content. Refuses announced sizes over 1 GiB and output that does not match its size. PTX
// comes without trailing NULs.
Result<std::vector<std::byte>> decompress(const Member& member);

// The member the driver would run on a device of compute capability major.minor: an exact or
// binary-compatible cubin (same major, not newer minor; the newest such), else the newest PTX not newer than the device.
// Nothing where none fits.
const Member* member_for(const Image& image, unsigned major, unsigned minor);

// The PTX member that can stand in for `chosen`: itself where it is PTX, else the PTX member whose virtual
// architecture is that of the cubin. Nothing where there is none (other-architecture PTX gives wrong results
// for code that was tuned for the real one).
const Member* ptx_for(const Image& image, const Member& chosen);

// Finds the fatbin wrappers (.nvFatBinSegment) and fatbins (.nv_fatbin) of a host ELF file: the bytes of each fatbin.
Result<std::vector<Bytes>> fatbins_in_elf(Bytes file_untrusted);

// The kernels (global function symbols) of a cubin, in file order.
Result<std::vector<std::string>> cubin_kernels(Bytes cubin_untrusted);

}  // namespace egpu::fatbin
