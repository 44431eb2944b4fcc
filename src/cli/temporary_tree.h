// A small file tree that a test makes and that goes with it.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.h"

namespace egpu::cli {

class TemporaryTree {
 public:
  TemporaryTree() {
    std::string pattern = std::filesystem::temp_directory_path() / "egpu_test.XXXXXX";
    root_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryTree() { std::filesystem::remove_all(root_); }
  TemporaryTree(const TemporaryTree&) = delete;
  TemporaryTree& operator=(const TemporaryTree&) = delete;

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

  // Makes the file and its folders.
  std::filesystem::path add(std::string_view path, std::string_view content = "") const {
    const std::filesystem::path file = root_ / path;
    std::filesystem::create_directories(file.parent_path());
    if (!write_file(file, as_bytes(content)))
      throw std::runtime_error("cannot write " + file.string());
    return file;
  }
  void add_executable(std::string_view path) const {
    std::filesystem::permissions(add(path), std::filesystem::perms::owner_all);
  }

 private:
  std::filesystem::path root_;
};

}  // namespace egpu::cli
