// The double's exported functions.
#pragma once

#include "cuda/driver_entry.h"

// Exports NAME; its body is fake_NAME, an extern "C" function.
#define FAKE_CUDA_EXPORT(name) EGPU_DRIVER_ENTRY(name, "fake_driver_state", "fake_" #name)
