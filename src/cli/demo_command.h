// `egpu demo`: the bundled tools on a bundled program, on the GPU or, without one, in the emulator.
#pragma once

#include "cli/command.h"
#include "cli/machine.h"

namespace egpu::cli {

struct DemoOptions {
  bool emulate = false;  // also where there is a GPU
};

// Prints as it goes, since the program prints too; the outcome's text is what to try next.
Result<Outcome> demo_command(const Context& context, const Machine& machine,
                             const DemoOptions& options);

}  // namespace egpu::cli
