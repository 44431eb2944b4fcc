// Runs a program to its end, or to a deadline.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace egpu::session {

// Runs `program` (no PATH search) with `arguments` in an empty environment but for PATH and
// TMPDIR=`directory`. Standard output and error go to the file `directory`/log. The exit status,
// 128 + the signal where one ended it. On timeout the program's process group is killed and an
// Error returned. Thread-safe.
Result<int> run_program(const std::filesystem::path& program,
                        const std::vector<std::string>& arguments,
                        const std::filesystem::path& directory, std::chrono::milliseconds timeout);

}  // namespace egpu::session
