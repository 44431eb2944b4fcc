// What the user should know, told to the service; on stderr too where EGPU_DEBUG is set. Never
// allocates.
#pragma once

namespace egpu::inject {

[[gnu::format(printf, 1, 2)]] void report(const char* format, ...);

}  // namespace egpu::inject
