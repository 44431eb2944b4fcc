// `egpu inspect`: which kernels a file holds, and which of them can be probed.
#pragma once

#include "cli/command.h"

namespace egpu::cli {

struct InspectOptions {
  std::string file;
  std::string compute_capability = "90";
  bool json = false;
};

Result<Outcome> inspect_command(const Context& context, const InspectOptions& options);

}  // namespace egpu::cli
