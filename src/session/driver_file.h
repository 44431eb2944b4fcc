// The driver library's file, as an observed process opened it.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace egpu::session {

// The file's bytes. A file that only root can change is mapped (libcuda.so.1 has 90 MB); any other
// is copied, since a process could truncate it under the mapping and kill us with SIGBUS.
class DriverFile {
 public:
  static Result<DriverFile> open(int fd);
  DriverFile(DriverFile&& other) noexcept;
  DriverFile& operator=(DriverFile&&) = delete;
  ~DriverFile();

  [[nodiscard]] Bytes bytes() const { return mapping_.empty() ? Bytes(copy_) : mapping_; }

 private:
  DriverFile() = default;
  Bytes mapping_;
  std::vector<std::byte> copy_;
};

}  // namespace egpu::session
