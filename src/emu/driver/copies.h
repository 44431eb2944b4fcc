// Checks of copies and fills, for calls and graph nodes alike.
#pragma once

#include "emu/driver/operations.h"

namespace egpu::emu::driver {

Status check_copy(const cuda::Copy3d& copy);
Status check_fill(const cuda::MemsetNodeParameters& fill);

}  // namespace egpu::emu::driver
