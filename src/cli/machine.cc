#include "cli/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <system_error>

#include "base/file.h"

namespace egpu::cli {
namespace {

namespace fs = std::filesystem;

// The whole file; empty where it cannot be read.
std::string contents(const fs::path& path) {
  const auto bytes = read_file(path);
  return bytes ? std::string(as_text(*bytes)) : "";
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    if (end != start) parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

std::vector<std::string> sorted_entries(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored))
    names.push_back(entry.path().filename());
  std::ranges::sort(names, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;  // nvidia2 before nvidia10
  });
  return names;
}

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// The linker's cache is a table of strings: every path it knows ends in NUL.
std::optional<std::string> in_linker_cache(const Machine& machine, const std::string& name) {
  const std::string cache = contents(machine.file("/etc/ld.so.cache"));
  const std::string wanted = "/" + name + '\0';
  for (std::size_t at = cache.find(wanted); at != std::string::npos;
       at = cache.find(wanted, at + 1)) {
    const std::size_t start = cache.rfind('\0', at) + 1;
    std::string path = cache.substr(start, at + wanted.size() - 1 - start);
    if (machine.has(path)) return path;
  }
  return std::nullopt;
}

}  // namespace

fs::path Machine::file(const fs::path& path) const {
  return path.is_absolute() ? root / path.relative_path() : path;
}

bool Machine::has(const fs::path& path) const {
  std::error_code ignored;  // what cannot be looked at is not there for us
  return fs::exists(file(path), ignored);
}

bool Machine::can_execute(const fs::path& path) const {
  std::error_code ignored;  // as above
  return fs::is_regular_file(file(path), ignored) && ::access(file(path).c_str(), X_OK) == 0;
}

Machine this_machine() {
  utsname names{};
  ::uname(&names);
  return {.root = "/", .architecture = names.machine, .environment = ::getenv};
}

bool has_gpu(const Machine& machine) { return machine.has("/dev/nvidiactl"); }

std::string kernel_release(const Machine& machine) {
  std::string release = contents(machine.file("/proc/sys/kernel/osrelease"));
  release.erase(release.find_last_not_of(" \n") + 1);
  return release;
}

std::vector<std::string> gpu_nodes(const Machine& machine) {
  constexpr std::string_view kPrefix = "nvidia";
  std::vector<std::string> nodes;
  for (const std::string& name : sorted_entries(machine.file("/dev")))
    if (name.starts_with(kPrefix) && all_digits(std::string_view(name).substr(kPrefix.size())))
      nodes.push_back("/dev/" + name);
  return nodes;
}

std::vector<std::string> gpu_models(const Machine& machine) {
  constexpr std::string_view kLabel = "Model:";
  const fs::path gpus = machine.file("/proc/driver/nvidia/gpus");
  std::vector<std::string> models;
  for (const std::string& address : sorted_entries(gpus)) {
    for (const std::string& line : split(contents(gpus / address / "information"), '\n')) {
      if (!line.starts_with(kLabel)) continue;
      const std::size_t start = line.find_first_not_of(" \t", kLabel.size());
      if (start != std::string::npos) models.push_back(line.substr(start));
    }
  }
  return models;
}

std::optional<std::string> driver_version(const Machine& machine) {
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  ..."; open modules word it
  // otherwise, so the first word that looks like a version is taken.
  const std::vector<std::string> lines =
      split(contents(machine.file("/proc/driver/nvidia/version")), '\n');
  if (lines.empty()) return std::nullopt;
  for (const std::string& word : split(lines.front(), ' ')) {
    const std::vector<std::string> numbers = split(word, '.');
    if (numbers.size() >= 2 && std::ranges::all_of(numbers, all_digits)) return word;
  }
  return std::nullopt;
}

std::array<unsigned, 2> leading_version(std::string_view text) {
  std::array<unsigned, 2> version{};
  std::size_t part = 0;
  for (const char character : text) {
    if (character == '.') {
      if (++part == version.size()) break;
    } else if (character >= '0' && character <= '9' && version[part] < 1'000'000) {
      version[part] = version[part] * 10 + static_cast<unsigned>(character - '0');
    } else {
      break;
    }
  }
  return version;
}

std::optional<fs::path> find_program(const Machine& machine, const std::vector<std::string>& names,
                                     const std::vector<std::string>& more) {
  std::vector<std::string> directories = split(machine.variable("PATH"), ':');
  directories.insert(directories.end(), more.begin(), more.end());
  for (const std::string& directory : directories)
    for (const std::string& name : names) {
      fs::path path = fs::path(directory) / name;
      if (machine.can_execute(path)) return path;
    }
  return std::nullopt;
}

std::optional<fs::path> find_library(const Machine& machine, const std::string& name) {
  for (const fs::path directory : split(machine.variable("LD_LIBRARY_PATH"), ':'))
    if (machine.has(directory / name)) return directory / name;
  if (const auto cached = in_linker_cache(machine, name)) return fs::path(*cached);
  for (const fs::path directory :
       {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib",
        "/usr/local/nvidia/lib64", "/usr/local/cuda/lib64"})
    if (machine.has(directory / name)) return directory / name;
  return std::nullopt;
}

}  // namespace egpu::cli
