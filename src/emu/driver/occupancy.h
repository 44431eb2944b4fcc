// How many blocks of a kernel a multiprocessor holds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emu/driver/modules.h"

namespace egpu::emu::driver {

// Of a block, by what the kernel's code says: registers and .maxntid.
unsigned max_block_threads(const Function& function);
// Dynamic shared memory that a launch may ask for.
std::uint64_t max_dynamic_shared(const Function& function);
// Blocks resident on a multiprocessor at a time; 0: not even one.
unsigned active_blocks(const Function& function, unsigned threads, std::uint64_t dynamic_shared);

}  // namespace egpu::emu::driver
