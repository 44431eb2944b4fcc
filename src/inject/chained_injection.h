// The injection library that was configured before ours.
#pragma once

namespace egpu::inject {

// Loads it as the driver would have and initialises it. Null path: there was none.
void run_chained_injection(const char* path);

}  // namespace egpu::inject
