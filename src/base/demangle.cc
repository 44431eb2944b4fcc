#include "base/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace egpu {

std::string demangle(std::string_view name) {
  const std::string terminated(name);
  // Without the prefix the demangler would take "i" for the type int.
  if (!terminated.starts_with("_Z")) return terminated;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(terminated.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : terminated;
}

}  // namespace egpu
