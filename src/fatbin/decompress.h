// The start of a member, without paying for the rest.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "fatbin/fatbin.h"

namespace egpu::fatbin {

// At most `bytes` first bytes of the member's content; fewer where it is shorter.
Result<std::vector<std::byte>> decompress_start(const Member& member, std::size_t bytes);

}  // namespace egpu::fatbin
