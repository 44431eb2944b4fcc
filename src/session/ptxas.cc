#include "session/ptxas.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <system_error>

#include "base/bytes.h"
#include "base/file.h"
#include "session/assembler_log.h"
#include "session/child_process.h"
#include "session/private_directory.h"

namespace egpu::session {
namespace {

bool is_program(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

// "... release 13.0, V13.0.88" to "13.0.88".
std::string version_in(std::string_view text) {
  constexpr std::string_view kMark = ", V";
  const std::size_t at = text.find(kMark, text.find("release "));
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + kMark.size());
  return std::string(rest.substr(0, rest.find_first_not_of("0123456789.")));
}

std::string log_in(const PrivateDirectory& directory) {
  const auto log = read_file(directory.path() / "log");
  return log ? std::string(as_text(*log)) : std::string();
}

class Ptxas final : public AssemblerBackend {
 public:
  Ptxas(std::filesystem::path program, std::string version, std::chrono::milliseconds timeout)
      : program_(std::move(program)), version_(std::move(version)), timeout_(timeout) {}

  [[nodiscard]] std::string identity() const override { return "ptxas " + version_; }

  [[nodiscard]] Result<std::vector<std::byte>> assemble(
      std::string_view ptx, const std::string& target,
      const std::vector<std::string>& options) const override {
    EGPU_ASSIGN(const PrivateDirectory directory, PrivateDirectory::create());
    const auto input = directory.path() / "module.ptx";
    const auto output = directory.path() / "module.cubin";
    EGPU_TRY(write_file(input, as_bytes(ptx)));
    std::vector<std::string> arguments = {"-arch=" + target, "-o", output.string(), input.string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    EGPU_ASSIGN(const int status, run_program(program_, arguments, directory.path(), timeout_));
    if (status != 0) return assembler_error(identity(), log_in(directory), ptx);
    return read_file(output);
  }

 private:
  std::filesystem::path program_;
  std::string version_;
  std::chrono::milliseconds timeout_;
};

}  // namespace

std::vector<std::filesystem::path> ptxas_candidates(const AssemblerSearch& search) {
  std::vector<std::filesystem::path> folders;
  for (std::string_view rest = search.path; !rest.empty();) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    // An empty or relative entry would mean a folder of whoever started us: never run what lies
    // there.
    if (folder.starts_with('/')) folders.emplace_back(folder);
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
  }
  for (const auto& home : {search.cuda_home, search.toolkit})
    if (home.is_absolute()) folders.push_back(home / "bin");
  std::vector<std::filesystem::path> candidates;
  for (const auto& folder : folders)
    if (is_program(folder / "ptxas")) candidates.push_back(folder / "ptxas");
  return candidates;
}

Result<std::shared_ptr<const AssemblerBackend>> open_ptxas(const std::filesystem::path& program,
                                                           std::chrono::milliseconds timeout) {
  EGPU_ASSIGN(const PrivateDirectory directory, PrivateDirectory::create());
  EGPU_ASSIGN(const int status, run_program(program, {"--version"}, directory.path(), timeout));
  std::string version = version_in(log_in(directory));
  if (status != 0 || version.empty())
    return input_error("does not answer --version as ptxas does")
        .at(program.string())
        .hint("name a ptxas in EGPU_PTXAS");
  return std::make_shared<const Ptxas>(program, std::move(version), timeout);
}

}  // namespace egpu::session
