// egpu's emulator of a GPU, as commands use it: libraries that a program finds in place of the
// CUDA driver's and the shared CUDA runtime's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "cli/installation.h"
#include "cli/machine.h"
#include "cli/terminal.h"

namespace egpu::cli {

// Fails where the emulator is not installed.
Result<void> check_emulator(const Installation& installation);

// "NAME=value" settings with which a program finds the emulator.
std::vector<std::string> emulator_environment(const Installation& installation,
                                              const Machine& machine);

// What in a program keeps it from running in the emulator, a sentence each: a CUDA runtime that it
// brings along. Nothing for what is no ELF file.
std::vector<std::string> emulation_obstacles(Bytes program_untrusted);

// Says on standard error that no GPU is used, and what obstacles the program has.
void announce_emulator(const std::filesystem::path& program, const Terminal& messages);

}  // namespace egpu::cli
