// Whole files and anonymous files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"

namespace egpu {

// The whole file. Errors name the path and the system's reason. Works on /proc and /sys too.
Result<std::vector<std::byte>> read_file(const std::filesystem::path& path);

// Writes to a temporary neighbour (mode 0600) and renames, so that a reader never sees half a file,
// however many write.
Result<void> write_file(const std::filesystem::path& path, Bytes content);

// Writes as the shell's `>` does: through links, into devices and pipes, with the mode the umask
// leaves.
Result<void> overwrite_file(const std::filesystem::path& path, Bytes content);

// A sealed-size anonymous file (memfd) that holds `content`; the offset is at 0.
Result<UniqueFd> make_memfd(const char* name, Bytes content);

// The `size` first bytes of a file descriptor another process sent; its size is checked first, so a
// short file is an error and not a SIGBUS.
Result<std::vector<std::byte>> read_fd(int fd, std::size_t size);

}  // namespace egpu
