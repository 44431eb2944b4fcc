// The stand-in's exported functions as C++ that links with it calls them.
#pragma once

#include "emu/driver/functions.h"

namespace egpu::emu::driver::api {

// NOLINTBEGIN(readability-identifier-naming): the driver's names
#define EGPU_DECLARE(name, suffix, since, body, parameters) \
  extern "C" Status name##suffix parameters;
#define EGPU_DECLARE_P(name, suffix, since, body, per_thread, parameters) \
  extern "C" Status name##suffix parameters;                              \
  extern "C" Status name##suffix##per_thread parameters;
EGPU_EMULATED_FUNCTIONS(EGPU_DECLARE, EGPU_DECLARE_P)
#undef EGPU_DECLARE
#undef EGPU_DECLARE_P
// NOLINTEND(readability-identifier-naming)

}  // namespace egpu::emu::driver::api
