#include "base/printable.h"

#include <fmt/format.h>

namespace egpu {

std::string printable(std::string_view text_untrusted) {
  std::string text;
  for (const char character : text_untrusted) {
    if (character >= 0x20 && character < 0x7f)
      text += character;
    else
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(character));
  }
  return text;
}

}  // namespace egpu
