#include "base/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace egpu {

std::string demangle(std::string_view name) {
  // Without the prefix the demangler would take "i" for the type int.
  if (!name.starts_with("_Z")) return std::string(name);
  std::string terminated(name);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(terminated.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : terminated;
}

}  // namespace egpu
