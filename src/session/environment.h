// Where settings come from: ::getenv in the programs, a table in tests.
#pragma once

#include <functional>
#include <string>

namespace egpu::session {

// The variable's value, or nullptr where it is not set.
using EnvironmentLookup = std::function<const char*(const char* name)>;

// The same with "" for not set.
inline std::string value_of(const EnvironmentLookup& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace egpu::session
