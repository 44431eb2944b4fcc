// Foreign text on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace egpu {

// `text_untrusted` with everything but printable ASCII as \xNN: names and values that observed
// programs chose must not move the reader's cursor.
std::string printable(std::string_view text_untrusted);

}  // namespace egpu
