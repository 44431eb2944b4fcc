#include "session/driver_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <utility>

#include "base/file.h"
#include "base/system_error.h"

namespace egpu::session {
namespace {

constexpr std::size_t kLargestLibrary = 1u << 30;

bool only_root_can_change(const struct stat& status) {
  return status.st_uid == 0 && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

Result<DriverFile> DriverFile::open(int fd) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return system_error("cannot stat the driver library");
  if (!S_ISREG(status.st_mode) || status.st_size <= 0 ||
      static_cast<std::size_t>(status.st_size) > kLargestLibrary)
    return input_error("the driver library is no regular file of a sensible size");
  const auto size = static_cast<std::size_t>(status.st_size);

  DriverFile file;
  // Root itself could truncate it too, but a process running as root needs no trick to stop us.
  if (only_root_can_change(status)) {
    // Shared: the kernel writes the breakpoints of uprobes into private mappings, this one too.
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
    if (address != MAP_FAILED) {
      file.mapping_ = {static_cast<const std::byte*>(address), size};
      return file;
    }
  }
  EGPU_ASSIGN(file.copy_, read_fd(fd, size));
  return file;
}

DriverFile::DriverFile(DriverFile&& other) noexcept
    : mapping_(std::exchange(other.mapping_, {})), copy_(std::move(other.copy_)) {}

DriverFile::~DriverFile() {
  if (!mapping_.empty()) ::munmap(const_cast<std::byte*>(mapping_.data()), mapping_.size());
}

}  // namespace egpu::session
