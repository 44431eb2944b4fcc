// The CUDA toolkit's tools, for tests. Nothing here is part of a product.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace egpu::toolkit {

// The tool in PATH or in the toolkit's usual folder; empty where there is none.
std::filesystem::path find_tool(const std::string& name);

struct Outcome {
  int status = -1;     // exit code; -1: did not run or died from a signal
  std::string output;  // stdout and stderr
};
Outcome run(const std::vector<std::string>& command);

// Registers of each kernel from what `ptxas -v` prints.
std::map<std::string, unsigned> registers_by_kernel(const std::string& ptxas_output);

// A folder that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace egpu::toolkit
