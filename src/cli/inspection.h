// What a file holds for the GPU, what a given GPU would run of it, and whether egpu can probe that.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "fatbin/fatbin.h"

namespace egpu::cli {

// "90", "sm_90" or "9.0".
Result<fatbin::ComputeCapability> parse_compute_capability(const std::string& text);

struct InspectedImage {
  fatbin::Image image;
  std::optional<std::size_t> runs;  // index of the member the driver would run; nothing: none fits
  // Index of the PTX member that egpu would instrument; nothing: see reason.
  std::optional<std::size_t> probed;
  std::string reason;                // why egpu cannot probe this image; empty where it can
  std::vector<std::string> kernels;  // mangled, of the member that runs, in its order
};

struct Inspection {
  std::string kind;                    // "ELF file", "fatbin", "cubin", "PTX"
  std::vector<InspectedImage> images;  // none: no code for a GPU
};

// The images point into `file_untrusted`. Fails where the file is of none of these kinds or too
// damaged to list.
Result<Inspection> inspect(Bytes file_untrusted, fatbin::ComputeCapability gpu);

}  // namespace egpu::cli
