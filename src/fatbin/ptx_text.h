// Recognises PTX text and what it is for; parsing it is src/ptx's work.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace egpu::fatbin {

struct PtxTarget {
  std::uint32_t architecture;  // 90 for sm_90a
  char suffix;                 // 'a', 'f' or 0
};

// Its first word is the directive every PTX module begins with.
bool is_ptx(std::string_view text);

// From .target, which follows .version.
Result<PtxTarget> ptx_target(std::string_view text_untrusted);

}  // namespace egpu::fatbin
