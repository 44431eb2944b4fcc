// `egpu conformance-plugin`: one raw program, as test suites of the instruction set hand it over.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace egpu::cli {

struct ConformanceOptions {
  std::string engine = "jit";           // "gpu", or "emu": the emulator of a GPU
  std::string memory = {};              // hexadecimal bytes
  std::vector<std::string> cases = {};  // files, run in place of a program
};

// `program`: hexadecimal bytes, not looked at where there are case files. The outcome's text is r0,
// or what run_cases() says.
Result<Outcome> conformance_command(const Installation& installation,
                                    const ConformanceOptions& options, std::string_view program);

}  // namespace egpu::cli
