// What the system says about a call that failed.
#pragma once

#include <cerrno>
#include <string_view>

#include "base/result.h"

namespace egpu {

// "WHAT: the system's reason". `error`: the number the call left in errno or returned. Thread-safe.
Error system_error(std::string_view what, int error = errno);

}  // namespace egpu
