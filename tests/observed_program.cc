#include "observed_program.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "abi/protocol.h"
#include "support/start_child.h"

namespace egpu::testing {
namespace {

std::vector<std::string> environment_for(const TemporaryDirectory& directory,
                                         const Environment& extra) {
  Environment variables = {
      {abi::kInjectionVariable, EGPU_INJECT_LIBRARY},
      {abi::kSocketVariable, directory.file("socket")},
      {"FAKE_CUDA_RECORD", directory.file("record")},
  };
  for (const auto& [name, value] : extra) variables[name] = value;
  std::vector<std::string> result;
  result.reserve(variables.size());
  for (const auto& [name, value] : variables)
    result.push_back(std::string(name).append("=").append(value));
  return result;
}

std::map<std::string, KernelRecord> read_record(const std::string& path) {
  std::map<std::string, KernelRecord> kernels;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    std::string second;
    words >> name >> second;
    if (second == "attribute") {
      int attribute = 0;
      words >> attribute >> kernels[name].attributes[attribute];
    } else {
      kernels[name].launches = std::stoull(second);
      words >> kernels[name].threads;
    }
  }
  return kernels;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "egpu-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) std::abort();
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() { std::filesystem::remove_all(path_); }

ObservedProgram::ObservedProgram(const TemporaryDirectory& directory,
                                 const std::vector<std::string>& steps,
                                 const Environment& environment)
    : directory_(directory), start_(std::chrono::steady_clock::now()) {
  std::vector<std::string> arguments = {FAKE_CUDA_APP};
  arguments.insert(arguments.end(), steps.begin(), steps.end());
  const std::vector<std::string> variables = environment_for(directory, environment);
  pid_ = start_child(arguments, directory.file("output"), &variables);
  if (pid_ < 0) std::abort();
}

ObservedProgram::~ObservedProgram() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

Outcome ObservedProgram::wait() {
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  Outcome outcome;
  outcome.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start_);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  outcome.output = read_text(directory_.file("output"));
  outcome.kernels = read_record(directory_.file("record"));
  return outcome;
}

}  // namespace egpu::testing
