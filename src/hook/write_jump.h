// Replaces an instruction of a function that other threads are executing. Part of the injected
// library: libc alone.
#pragma once

#include <cstdint>

namespace egpu::hook {

enum class WriteResult { kDone, kChanged, kProtected };

// Writes `jmp destination` at `site`, where the instruction that starts with the five bytes
// `expected` is. They must lie in one aligned 16-byte block, `destination` within 2 GiB. kChanged:
// something else is there now. When it returns, every thread of the process sees the jump.
WriteResult write_jump(std::uint8_t* site, const std::uint8_t* expected,
                       const std::uint8_t* destination);

}  // namespace egpu::hook
