// Strings as exec and posix_spawn want them.
#pragma once

#include <string>
#include <vector>

namespace egpu {

// Pointers to `strings`, which must outlive them, and a null. For argv and envp, which POSIX
// promises not to change.
inline std::vector<char*> argument_vector(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace egpu
