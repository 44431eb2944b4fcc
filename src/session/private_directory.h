// A directory of our own (0700) under the system's temporary directory, so that nobody else can
// reach or replace what lies in it. Removed with its content when the object ends.
#pragma once

#include <filesystem>
#include <utility>

#include "base/result.h"

namespace egpu::session {

class PrivateDirectory {
 public:
  static Result<PrivateDirectory> create();

  PrivateDirectory(PrivateDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateDirectory& operator=(PrivateDirectory&&) = delete;
  ~PrivateDirectory();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit PrivateDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace egpu::session
