// The words after `egpu`, as options of one command.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "cli/check_command.h"
#include "cli/conformance_command.h"
#include "cli/demo_command.h"
#include "cli/doctor_command.h"
#include "cli/inspect_command.h"
#include "cli/ptx_command.h"
#include "cli/run_command.h"

namespace egpu::cli {

struct HelpRequest {
  std::string text;
  int exit_code = 0;
};

using Command = std::variant<HelpRequest, RunOptions, CheckOptions, PtxOptions, InspectOptions,
                             DoctorOptions, DemoOptions, ConformanceOptions>;

// `arguments`: without the program's name. Errors name the option and point to the help.
Result<Command> parse_command_line(std::vector<std::string> arguments);

// Whether errors, also those of the command line itself, shall be given as JSON.
bool wants_json(const std::vector<std::string>& arguments);

}  // namespace egpu::cli
