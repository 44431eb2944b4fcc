// `egpu conformance-plugin`: one raw program, as test suites of the instruction set hand it over.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"

namespace egpu::cli {

struct ConformanceOptions {
  std::string engine = "jit";  // or "gpu"
  std::string memory;          // hexadecimal bytes
};

// `program`: hexadecimal bytes. The outcome's text is r0.
Result<Outcome> conformance_command(const ConformanceOptions& options, std::string_view program);

}  // namespace egpu::cli
