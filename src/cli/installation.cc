#include "cli/installation.h"

#include <algorithm>
#include <system_error>

#include "cli/suggest.h"

namespace egpu::cli {
namespace {

constexpr std::string_view kObjectSuffix = ".bpf.o";

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

}  // namespace

std::vector<std::string> Installation::tools() const {
  std::vector<std::string> names;
  std::error_code ignored;  // no such folder: no tools
  for (const auto& file : std::filesystem::directory_iterator(tools_directory(), ignored)) {
    const std::string name = file.path().filename();
    if (name.ends_with(kObjectSuffix))
      names.push_back(name.substr(0, name.size() - kObjectSuffix.size()));
  }
  std::ranges::sort(names);
  return names;
}

Installation this_installation() {
  std::error_code ignored;  // without /proc nothing bundled is found, and each use says so
  return {.executable = std::filesystem::read_symlink("/proc/self/exe", ignored)};
}

Result<std::filesystem::path> find_object(const Installation& installation,
                                          const std::string& tool_or_path) {
  const std::vector<std::string> tools = installation.tools();
  if (std::ranges::find(tools, tool_or_path) != tools.end())
    return installation.tools_directory() / (tool_or_path + std::string(kObjectSuffix));

  std::error_code ignored;  // an unreadable folder: the file is not there for us
  const bool is_path = tool_or_path.find('/') != std::string::npos || tool_or_path.ends_with(".o");
  if (std::filesystem::exists(tool_or_path, ignored)) return std::filesystem::path(tool_or_path);
  if (is_path)
    return input_error("no such file")
        .at(tool_or_path)
        .hint("give an eBPF object made by `clang -target bpf`, or one of the bundled tools: " +
              joined(tools));
  return input_error("no tool and no file is called `" + tool_or_path + "`")
      .hint(did_you_mean(tool_or_path, tools,
                         "bundled tools: " + joined(tools) +
                             "; an object of your own is given by its path, such as ./my.bpf.o"));
}

}  // namespace egpu::cli
