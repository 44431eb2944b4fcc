// The entry point of libegpu_inject.so. The driver loads the library named in CUDA_INJECTION64_PATH
// during cuInit() and calls InitializeInjection(), once.
#include "inject/initialize.h"

// The driver does not use the result; CUPTI's injection libraries return 1 too.
// NOLINTNEXTLINE(readability-identifier-naming): the driver's name for it
extern "C" [[gnu::visibility("default")]] int InitializeInjection() {
  egpu::inject::initialize();
  return 1;
}
