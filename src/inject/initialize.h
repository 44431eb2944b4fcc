// Starts the library in this process.
#pragma once

namespace egpu::inject {

// Whether the process is instrumented from now on. Otherwise it runs as if the library were not
// there; the reason was reported where there is somebody to tell.
bool initialize();

}  // namespace egpu::inject
