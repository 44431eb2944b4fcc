#include "support/bpf_compilers.h"

#include <fmt/format.h>

#include "support/toolkit.h"

namespace egpu::examples {
namespace {

// clang 18 is the first with -mcpu=v4.
unsigned newest_cpu(unsigned release) { return release < 18 ? 3 : 4; }

std::string program(unsigned release) { return fmt::format("clang-{}", release); }

}  // namespace

std::string Compiler::name() const { return fmt::format("{} -mcpu=v{}", program(release), cpu); }

std::vector<Compiler> compilers() {
  std::vector<Compiler> found;
  for (const unsigned release : kReleases) {
    const auto path = toolkit::find_tool(program(release));
    if (path.empty()) continue;
    for (unsigned cpu = 1; cpu <= newest_cpu(release); ++cpu)
      found.push_back({.path = path, .release = release, .cpu = cpu});
  }
  return found;
}

std::string missing_compilers() {
  std::string names;
  for (const unsigned release : kReleases)
    if (toolkit::find_tool(program(release)).empty())
      names += (names.empty() ? "" : ", ") + program(release);
  return names;
}

Result<void> compile(const Compiler& compiler, const std::filesystem::path& source,
                     const std::filesystem::path& object) {
  const std::string include = EGPU_SOURCE_DIR "/include";
  const auto outcome =
      toolkit::run({compiler.path, "-target", "bpf", fmt::format("-mcpu=v{}", compiler.cpu), "-O2",
                    "-g", "-Wall", "-Werror", "-I", include, "-c", source, "-o", object});
  if (outcome.status == 0) return {};
  return input_error(outcome.output).at(compiler.name());
}

}  // namespace egpu::examples
