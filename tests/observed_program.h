// Runs the driver API program of tests/fake_driver under the injected library.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace egpu::testing {

// A directory of its own, removed at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

struct KernelRecord {
  std::uint64_t launches = 0;
  std::uint64_t threads = 0;
  std::map<int, int> attributes;
};

struct Outcome {
  int exit_code = -1;                           // minus the signal where one ended it
  std::string output;                           // stdout and stderr
  std::map<std::string, KernelRecord> kernels;  // what the driver saw
  std::chrono::milliseconds duration{};
};

using Environment = std::map<std::string, std::string>;

// A started program. `directory` takes its files; the socket is directory.file("socket").
class ObservedProgram {
 public:
  ObservedProgram(const TemporaryDirectory& directory, const std::vector<std::string>& steps,
                  const Environment& environment);
  // Kills it where nobody waited for its end.
  ~ObservedProgram();
  ObservedProgram(const ObservedProgram&) = delete;
  ObservedProgram& operator=(const ObservedProgram&) = delete;
  Outcome wait();

 private:
  const TemporaryDirectory& directory_;
  std::chrono::steady_clock::time_point start_;
  pid_t pid_ = -1;
};

}  // namespace egpu::testing
