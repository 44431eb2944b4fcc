// Every function that the driver stand-in exports; one list for entries, cuGetProcAddress and the
// declarations of callers and bodies.
//
//   X(NAME, SUFFIX, SINCE, body, (parameters))                exported as NAME ## SUFFIX
//   P(NAME, SUFFIX, SINCE, body, PER_THREAD, (parameters))    and as NAME ## SUFFIX ## PER_THREAD,
//       where the default stream is the calling thread's (_ptds, _ptsz)
// SINCE: the CUDA version from which cuGetProcAddress gives this version of NAME. Names, versions
// and signatures: cudaTypedefs.h and cuda.h of CUDA 13.0; functions_test.cc compares the signatures
// where the header is installed. `body` is in this namespace.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/driver_structs.h"
#include "emu/driver/functions_contexts.h"
#include "emu/driver/functions_graphs.h"
#include "emu/driver/functions_memory.h"
#include "emu/driver/functions_modules.h"
#include "emu/driver/functions_work.h"

#define EGPU_EMULATED_FUNCTIONS(X, P)   \
  EGPU_EMULATED_CONTEXT_FUNCTIONS(X, P) \
  EGPU_EMULATED_MEMORY_FUNCTIONS(X, P)  \
  EGPU_EMULATED_STREAM_FUNCTIONS(X, P)  \
  EGPU_EMULATED_MODULE_FUNCTIONS(X, P)  \
  EGPU_EMULATED_GRAPH_FUNCTIONS(X, P)

namespace egpu::emu::driver {

using cuda::DevicePointer;
using cuda::Status;

#define EGPU_DECLARE_BODY(name, suffix, since, body, parameters) Status body parameters;
#define EGPU_DECLARE_BODY_P(name, suffix, since, body, per_thread, parameters) \
  Status body parameters;
EGPU_EMULATED_FUNCTIONS(EGPU_DECLARE_BODY, EGPU_DECLARE_BODY_P)
#undef EGPU_DECLARE_BODY
#undef EGPU_DECLARE_BODY_P

}  // namespace egpu::emu::driver
