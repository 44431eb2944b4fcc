// Which of a kernel's two entries runs.
#pragma once

#include "inject/session.h"

namespace egpu::inject {

struct Choice {
  Kernel* kernel;      // null: run what the application asked for
  Instance* instance;  // null as well: the twin has no maps to work on
};

// For a launch, or a graph's node, that runs `function` on `stream`: null stands for the current
// context. Wait-free but for the first time that a module is used in a context.
Choice choose(cuda::Function function, cuda::Stream stream);
// The same, in a context that is known.
Choice choose_in(cuda::Function function, cuda::Context context);

}  // namespace egpu::inject
