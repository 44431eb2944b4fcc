// Drawn histograms.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "maps/histogram.h"

namespace egpu::cli {

// A line for each bucket: the range, the count, and a bar as long as the count is large beside the
// largest. Fits `width` columns, and 80 where there is none.
//   [512, 1K)     3 |@@@@@@@@@@@@@                           |
std::string histogram_text(const maps::Scale& scale, std::span<const std::uint64_t> slots,
                           std::optional<std::size_t> width);

}  // namespace egpu::cli
