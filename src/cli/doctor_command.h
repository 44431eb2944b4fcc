// `egpu doctor`: what works on this machine, and what to do about the rest.
#pragma once

#include "cli/command.h"
#include "cli/machine.h"

namespace egpu::cli {

struct DoctorOptions {
  bool json = false;
};

// Exit code 0 where `egpu run` can work.
Outcome doctor_command(const Context& context, const Machine& machine,
                       const DoctorOptions& options);

}  // namespace egpu::cli
