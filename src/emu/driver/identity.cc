#include "emu/driver/identity.h"

#include <cstdio>

namespace egpu::emu::driver {

std::string uuid_text(std::span<const unsigned char, 16> uuid) {
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", uuid[i]);
    text += digits;
  }
  return text;
}

}  // namespace egpu::emu::driver
