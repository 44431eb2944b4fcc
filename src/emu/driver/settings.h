// What the environment asks of the emulator.
#pragma once

#include <cstdint>
#include <string>

namespace egpu::emu::driver {

struct Settings {
  unsigned devices = 1;      // EGPU_EMULATOR_DEVICES, 1 to 8
  unsigned workers = 1;      // EGPU_EMULATOR_THREADS: host threads that run a kernel's blocks
  std::uint64_t budget = 0;  // EGPU_EMULATOR_BUDGET: warp instructions of a block; 0: no limit
  std::uint64_t memory_bytes = 0;  // of each device: 4 GiB, or half of the machine's
};

// Says which variable is no number in its range, and takes the default then.
Settings read_settings();

// One line on standard error: "egpu emulator: TEXT".
void say(const std::string& text);

}  // namespace egpu::emu::driver
