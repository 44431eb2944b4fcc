// Allocates an instance in its context and connects modules to it.
#pragma once

#include "inject/instances.h"

namespace egpu::inject {

// Fills in everything but `context`, which is set. False, after a report, where a step fails;
// nothing is left allocated on the device then.
bool set_up(Instance& instance);

// Writes the addresses of the instance's maps into the module's probe table. False, after a report,
// where it cannot.
bool fill_probe_table(const LoadedModule& module, const Instance& instance);

}  // namespace egpu::inject
