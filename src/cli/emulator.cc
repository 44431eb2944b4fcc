// The loader searches DT_RPATH, then LD_LIBRARY_PATH, then DT_RUNPATH, and looks at DT_RPATH only
// where there is no DT_RUNPATH (ld.so(8)): a program with DT_RPATH may find NVIDIA's runtime first.
// That runtime, and the one that nvcc links statically by default, work through tables of the
// driver that no header describes.
#include "cli/emulator.h"

#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/printable.h"
#include "cli/diagnostics.h"
#include "fatbin/elf_view.h"

namespace egpu::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRuntime = "libcudart.so";
constexpr std::string_view kOurRuntime = "libcudart.so.13";  // the emulator has it

struct Dynamic {
  std::vector<std::string> needed;
  std::string rpath;  // empty where the loader does not look at it
};

// The text at `offset` of a string table; empty where it does not end in it.
std::string text_at(Bytes strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  const std::string_view rest = as_text(strings.subspan(offset));
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string() : std::string(rest.substr(0, end));
}

Dynamic read_dynamic(const fatbin::ElfView& elf) {
  Dynamic dynamic;
  const fatbin::ElfSection* section = elf.find(".dynamic");
  if (section == nullptr || section->header.sh_link >= elf.sections.size()) return dynamic;
  const Bytes strings = elf.sections[section->header.sh_link].content;
  bool has_runpath = false;
  for (std::size_t at = 0; at + sizeof(Elf64_Dyn) <= section->content.size();
       at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    std::memcpy(&entry, section->content.data() + at, sizeof entry);
    if (entry.d_tag == DT_NEEDED) dynamic.needed.push_back(text_at(strings, entry.d_un.d_val));
    if (entry.d_tag == DT_RPATH) dynamic.rpath = text_at(strings, entry.d_un.d_val);
    if (entry.d_tag == DT_RUNPATH) has_runpath = true;
  }
  if (has_runpath) dynamic.rpath.clear();
  return dynamic;
}

}  // namespace

Result<void> check_emulator(const Installation& installation) {
  std::error_code ignored;  // what cannot be looked at is not there for us
  const fs::path driver = installation.emulator_driver();
  if (fs::exists(driver, ignored)) return {};
  return input_error("egpu's emulator is missing")
      .at(driver.string())
      .hint("keep lib/egpu beside the folder of the egpu executable");
}

std::vector<std::string> emulator_environment(const Installation& installation,
                                              const Machine& machine) {
  const std::string before = machine.variable("LD_LIBRARY_PATH");
  return {"LD_LIBRARY_PATH=" + installation.emulator_directory().string() +
          (before.empty() ? "" : ":" + before)};
}

std::vector<std::string> emulation_obstacles(Bytes program_untrusted) {
  if (!fatbin::is_elf(program_untrusted)) return {};
  const auto elf = fatbin::read_elf(program_untrusted);
  if (!elf) return {};
  const Dynamic dynamic = read_dynamic(*elf);
  const auto runtime = std::ranges::find_if(
      dynamic.needed, [](const std::string& name) { return name.starts_with(kRuntime); });
  const bool shared_runtime = runtime != dynamic.needed.end();
  std::vector<std::string> obstacles;
  if (shared_runtime && *runtime != kOurRuntime)
    obstacles.push_back("the program needs " + printable(*runtime) + "; the emulator has " +
                        std::string(kOurRuntime) + ": build it with CUDA 13");
  if (!shared_runtime && elf->find(".nv_fatbin") != nullptr)
    obstacles.emplace_back(
        "the program seems to have the CUDA runtime linked in, as nvcc does by default: that "
        "runtime needs private tables of NVIDIA's driver, which the emulator does not have; link "
        "it with `nvcc -cudart shared`");
  if (shared_runtime && !dynamic.rpath.empty())
    obstacles.push_back(
        "the program looks for libraries in its DT_RPATH (" + printable(dynamic.rpath) +
        ") before the emulator's folder: NVIDIA's libcudart.so, should it lie there, needs private "
        "tables of the driver, which the emulator does not have; `patchelf --remove-rpath` "
        "helps, or linking with -Wl,--enable-new-dtags");
  return obstacles;
}

void announce_emulator(const std::filesystem::path& program, const Terminal& messages) {
  std::fputs(format_note("this runs in egpu's emulator, not on a GPU: results are those of a GPU, "
                         "times are not",
                         messages.colour)
                 .c_str(),
             stderr);
  const auto file = read_file(program);
  if (!file) return;  // it will not start either, and that is reported
  for (const std::string& obstacle : emulation_obstacles(*file))
    std::fputs(format_warning(obstacle, messages.colour).c_str(), stderr);
}

}  // namespace egpu::cli
