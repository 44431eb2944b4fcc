// `egpu ptx`: the GPU code an object becomes.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace egpu::cli {

struct PtxOptions {
  std::string object;                      // TOOL|OBJECT
  std::vector<std::string> settings = {};  // NAME=VALUE
  bool llvm_ir = false;                    // print that stage in place of the PTX
};

Result<Outcome> ptx_command(const Context& context, const PtxOptions& options);

}  // namespace egpu::cli
