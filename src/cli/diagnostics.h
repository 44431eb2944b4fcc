// How errors look and which exit code they give. The one place that prints them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.h"

namespace egpu::cli {

inline constexpr int kExitInput = 1;  // what we were given is wrong
inline constexpr int kExitBug = 2;    // egpu is wrong

int exit_code(const Error& error);

//   error: MESSAGE
//     --> PLACE
//     hint: REMEDY
std::string format_error(const Error& error, bool colour);
std::string format_warning(const std::string& text, bool colour);
std::string format_note(const std::string& text, bool colour);

// {"fault": "input" | "bug", "message", "place", "hint"}
nlohmann::ordered_json error_to_json(const Error& error);

}  // namespace egpu::cli
