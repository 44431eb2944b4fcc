// `egpu check`: is this object accepted, and what does it cost?
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace egpu::cli {

struct CheckOptions {
  std::string object;                      // TOOL|OBJECT
  std::vector<std::string> settings = {};  // NAME=VALUE
  bool json = false;
};

Result<Outcome> check_command(const Context& context, const CheckOptions& options);

}  // namespace egpu::cli
