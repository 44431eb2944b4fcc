// The fatbin regions in a stretch of bytes: one image, or the whole .nv_fatbin section of a
// program.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace egpu::fatbin {

bool starts_with_region(Bytes bytes);

// Each region with its header, in order. Zeros before, between and behind them are padding;
// anything else is an Error.
Result<std::vector<Bytes>> find_regions(Bytes bytes_untrusted);

}  // namespace egpu::fatbin
