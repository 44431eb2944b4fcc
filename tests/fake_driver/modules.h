// What launches need of libraries.
#pragma once

#include "fake_cuda.h"
#include "state.h"

namespace fake_cuda {

// The library's module in a context, loaded there on first use.
FakeModule& module_of(FakeLibrary& library, FakeContext* context);

}  // namespace fake_cuda
