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

// Of a device: 9.0 for an H200.
struct ComputeCapability {
  unsigned major;
  unsigned minor;
};

struct Member {
  MemberKind kind;
  std::uint32_t kind_number;   // as stored; tells what kOther is (8: LTO-IR)
  std::uint32_t architecture;  // 90 for sm_90, sm_90a or compute_90
  char suffix;          // 'a': that architecture alone (sm_90a); 'f': its family (sm_100f); else 0.
                        // Always 0 for a cubin that came without a fatbin: it does not say.
  std::uint64_t flags;  // as stored; 0 for an image that is no fatbin
  Compression compression;
  Bytes stored;        // inside the input
  std::uint64_t size;  // after decompression, as announced; untrusted
  // Why this member cannot be used: relocatable, LTO-IR, ...
  std::optional<std::string> unsupported;
  std::string options = {};  // ptxas's, as stored: for PTX those to assemble it with; untrusted
};

// "sm_90a" for a cubin, "compute_90a" for anything else.
std::string architecture_name(const Member& member);

// What an image handed to the driver is.
enum class ImageKind { kFatbin, kCubin, kPtx };
struct Image {
  ImageKind kind;
  std::vector<Member> members;  // one, uncompressed, for kCubin and kPtx
};

// Recognises a fatbin (magic 0xBA55ED50, several concatenated too), a cubin (ELF, machine 190) or
// PTX text. `image_untrusted` must outlive the result. Never reads outside it.
Result<Image> parse_image(Bytes image_untrusted);

// The member's content. Refuses unsupported members, announced sizes over 1 GiB and output that
// does not match its size. PTX comes without trailing NULs.
Result<std::vector<std::byte>> decompress(const Member& member);

// The member the driver would run on a device: an exact or binary-compatible cubin (same major, not
// newer minor; the newest such), else the newest PTX not newer than the device. Among equals the
// more specific one (sm_90a before sm_100f before sm_90): an assumption, the driver's choice is not
// documented. Nothing where none fits. The member may have `unsupported` set: the driver would
// still choose it, so that the image cannot be instrumented.
const Member* member_for(const Image& image, ComputeCapability device);

// The PTX member that can stand in for `chosen`: itself where it is PTX, else the PTX member whose
// virtual architecture is that of the PTX the cubin was assembled from. Nothing where there is none
// (other-architecture PTX gives wrong results for code that was tuned for the real one) or where it
// is unsupported. Decompresses the cubin.
const Member* ptx_for(const Image& image, const Member& chosen);

// The member to run where machine code cannot be run (src/emu): the PTX that stands in for what the
// driver would run, else the newest that the device runs. Nothing where there is no such PTX.
const Member* ptx_member_for(const Image& image, ComputeCapability device);

// The fatbins of a host ELF file (executable, library or object), in order: the regions of its
// .nv_fatbin section, at which its wrappers point. Relocatable ones that wait for a device link
// (__nv_relfatbin) are not among them: a program's device link leaves the result in .nv_fatbin.
// Empty where the file holds no device code.
Result<std::vector<Bytes>> fatbins_in_elf(Bytes file_untrusted);

// The kernels (entry symbols, static ones too) of a cubin, in file order.
Result<std::vector<std::string>> cubin_kernels(Bytes cubin_untrusted);

}  // namespace egpu::fatbin
