// What this machine has, read below a root folder and from given variables, so that tests bring
// their own.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "session/environment.h"

namespace egpu::cli {

struct Machine {
  std::filesystem::path root = "/";
  std::string architecture;                // as uname gives it: "x86_64"
  session::EnvironmentLookup environment;  // ::getenv, or a test's table

  // An absolute path below the root; a relative one, of the working directory, as it is.
  [[nodiscard]] std::filesystem::path file(const std::filesystem::path& path) const;
  [[nodiscard]] bool has(const std::filesystem::path& path) const;
  // Whether it is a file that may be executed.
  [[nodiscard]] bool can_execute(const std::filesystem::path& path) const;
  // A variable of the environment; empty where it is not set.
  [[nodiscard]] std::string variable(const char* name) const {
    return session::value_of(environment, name);
  }
};

// The one we run on.
Machine this_machine();

// Whether the driver shows a GPU here: its control device exists.
bool has_gpu(const Machine& machine);

// "6.1.0-42-amd64"; empty: unknown.
std::string kernel_release(const Machine& machine);
// "/dev/nvidia0", ... in order.
std::vector<std::string> gpu_nodes(const Machine& machine);
// "NVIDIA H200", as the driver lists them.
std::vector<std::string> gpu_models(const Machine& machine);
// "580.159.04".
std::optional<std::string> driver_version(const Machine& machine);

// Numbers at the start of "580.159.04" or "6.1.0-42"; missing ones are 0.
std::array<unsigned, 2> leading_version(std::string_view text);

// The first executable of these names on PATH or in `more`.
std::optional<std::filesystem::path> find_program(const Machine& machine,
                                                  const std::vector<std::string>& names,
                                                  const std::vector<std::string>& more = {});

// Where the dynamic linker would find a library: LD_LIBRARY_PATH, its cache, the usual folders.
std::optional<std::filesystem::path> find_library(const Machine& machine, const std::string& name);

}  // namespace egpu::cli
