#include "support/toolkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <system_error>

namespace egpu::toolkit {
namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& word) {
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

// What stands between `before` and `after` in `line`; empty where either is missing.
std::string between(const std::string& line, const std::string& before, const std::string& after) {
  std::size_t start = line.find(before);
  if (start == std::string::npos) return {};
  start += before.size();
  const std::size_t end = line.find(after, start);
  return end == std::string::npos ? std::string{} : line.substr(start, end - start);
}

}  // namespace

fs::path find_tool(const std::string& name) {
  const char* const path = getenv("PATH");
  std::istringstream folders(std::string(path != nullptr ? path : "") + ":/usr/local/cuda/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder) / name;
    if (!folder.empty() && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

Outcome run(const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command) line += quoted(word) + " ";
  // NOLINTNEXTLINE(bugprone-command-processor): every word is quoted
  FILE* const pipe = popen((line + "2>&1").c_str(), "re");
  if (pipe == nullptr) return {};
  Outcome outcome;
  char chunk[4096];
  while (const std::size_t got = fread(chunk, 1, sizeof chunk, pipe))
    outcome.output.append(chunk, got);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  return outcome;
}

std::map<std::string, unsigned> registers_by_kernel(const std::string& ptxas_output) {
  std::map<std::string, unsigned> result;
  std::istringstream lines(ptxas_output);
  std::string kernel;
  for (std::string line; std::getline(lines, line);) {
    if (const std::string name = between(line, "Compiling entry function '", "'"); !name.empty())
      kernel = name;
    if (const std::string count = between(line, "Used ", " registers"); !count.empty())
      result[kernel] = static_cast<unsigned>(std::strtoul(count.c_str(), nullptr, 10));
  }
  return result;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "egpu-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace egpu::toolkit
