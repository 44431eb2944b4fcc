// Why a map did not give what it was asked for: with the numbers of Linux, which callers of
// libegpu know from its maps.
#pragma once

#include <expected>
#include <string>

namespace egpu::session {

struct MapError {
  int number = 0;  // of errno.h: ENOENT, EEXIST, E2BIG, EINVAL, EBUSY, ...
  std::string message;
};

template <class T>
using MapResult = std::expected<T, MapError>;

}  // namespace egpu::session
