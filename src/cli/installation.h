// The files that come with egpu, found from the executable:
//   bin/egpu, bin/libegpu_inject.so, share/egpu/tools/NAME.bpf.o,
//   lib/egpu/emulator/libcuda.so.1, lib/egpu/demo/demo
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace egpu::cli {

struct Installation {
  // bin/egpu, or lib/libegpu.so where that is used without it; symbolic links resolved
  std::filesystem::path executable;

  [[nodiscard]] std::filesystem::path inject_library() const {
    return executable.parent_path().parent_path() / "bin/libegpu_inject.so";
  }
  [[nodiscard]] std::filesystem::path tools_directory() const {
    return executable.parent_path().parent_path() / "share/egpu/tools";
  }
  // Libraries that stand in for the driver's.
  [[nodiscard]] std::filesystem::path emulator_directory() const {
    return executable.parent_path().parent_path() / "lib/egpu/emulator";
  }
  [[nodiscard]] std::filesystem::path emulator_driver() const {
    return emulator_directory() / "libcuda.so.1";
  }
  // The program that `egpu demo` runs.
  [[nodiscard]] std::filesystem::path demo_program() const {
    return executable.parent_path().parent_path() / "lib/egpu/demo/demo";
  }
  // Names of the bundled tools, sorted.
  [[nodiscard]] std::vector<std::string> tools() const;
};

// That of the running executable.
Installation this_installation();

// The object file a user means by TOOL|OBJECT: a bundled tool's name, or a path (whatever holds a
// '/' or ends in ".o", or exists).
Result<std::filesystem::path> find_object(const Installation& installation,
                                          const std::string& tool_or_path);

}  // namespace egpu::cli
