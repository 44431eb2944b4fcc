// C++ names as people read them.
#pragma once

#include <string>
#include <string_view>

namespace egpu {

// The demangled form of an Itanium C++ name, or the name itself where it is none. Thread-safe.
std::string demangle(std::string_view name);

}  // namespace egpu
