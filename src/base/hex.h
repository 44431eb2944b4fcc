// Bytes written as hexadecimal digits.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace egpu {

// Two digits a byte; white space between bytes is ignored. Errors name the character's position.
Result<std::vector<std::byte>> parse_hex(std::string_view text);

}  // namespace egpu
