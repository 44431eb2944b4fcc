#include "cli/doctor_checks.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

#include "cli/emulator.h"
#include "cli/text.h"
#include "session/module_cache.h"

namespace egpu::cli {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kOldestDriver = 535;
constexpr unsigned kOldestClang = 14;  // docs/writing-probes.md
constexpr unsigned kNewestClang = 22;

Check ok(std::string name, std::string detail) {
  return {std::move(name), Health::kOk, std::move(detail), {}};
}
Check warning(std::string name, std::string detail, std::string remedy) {
  return {std::move(name), Health::kWarning, std::move(detail), std::move(remedy)};
}
Check failure(std::string name, std::string detail, std::string remedy) {
  return {std::move(name), Health::kFailure, std::move(detail), std::move(remedy)};
}

Check check_platform(const Machine& machine) {
  const std::string name = "platform";
  const std::string release = kernel_release(machine);
  if (machine.architecture != "x86_64")
    return failure(name, machine.architecture, "this version of egpu runs on x86-64 alone");
  if (release.find("icrosoft") != std::string::npos || machine.has("/dev/dxg"))
    return failure(name, "Windows Subsystem for Linux (" + release + ")",
                   "WSL's driver is not supported: run on Linux itself");
  if (leading_version(release) < std::array{5u, 15u})
    return warning(name, release.empty() ? "kernel release unknown" : "Linux " + release,
                   "egpu is made for Linux 5.15 and later");
  return ok(name, "Linux " + release + ", x86-64");
}

Check check_gpu(const Machine& machine) {
  const std::string name = "GPU";
  const std::vector<std::string> nodes = gpu_nodes(machine);
  if (!has_gpu(machine) || nodes.empty())
    return failure(
        name, "no NVIDIA device in /dev",
        "install NVIDIA's driver, or give the container its devices (docker run --gpus all)");
  for (const std::string& node : nodes)
    if (::access(machine.file(node).c_str(), R_OK | W_OK) != 0)
      return failure(name, "no permission for " + node,
                     "join the group that owns it, or run as another user");
  if (!machine.has("/dev/nvidia-uvm"))
    return warning(name, "/dev/nvidia-uvm is missing",
                   "CUDA needs it: run `nvidia-modprobe -u` as root");
  std::string models;
  for (const std::string& model : gpu_models(machine))
    models += (models.empty() ? "" : ", ") + model;
  return ok(name, counted(nodes.size(), "device") + (models.empty() ? "" : ": " + models));
}

Check check_driver(const Machine& machine) {
  const std::string name = "driver";
  const auto version = driver_version(machine);
  if (!version)
    return failure(name, "its version is not in /proc/driver/nvidia/version",
                   fmt::format("install and load NVIDIA's driver, {} or later", kOldestDriver));
  if (leading_version(*version)[0] < kOldestDriver)
    return failure(name, *version, fmt::format("egpu needs driver {} or later", kOldestDriver));
  return ok(name, *version);
}

Check check_cuda_library(const Machine& machine) {
  const auto library = find_library(machine, "libcuda.so.1");
  if (!library)
    return failure("CUDA driver library", "libcuda.so.1 is not found",
                   "install the driver's user-space libraries, or set LD_LIBRARY_PATH");
  return ok("CUDA driver library", library->string());
}

// Multi-process service and virtual GPUs: another process or another machine owns the context.
Check check_sharing(const Machine& machine) {
  const std::string pipes = machine.variable("CUDA_MPS_PIPE_DIRECTORY");
  if (machine.has((pipes.empty() ? "/tmp/nvidia-mps" : pipes) + "/control"))
    return failure("GPU sharing", "CUDA's multi-process service (MPS) is running",
                   "egpu does not support MPS: stop it with `echo quit | nvidia-cuda-mps-control`");
  if (machine.has("/etc/nvidia/gridd.conf"))
    return warning("GPU sharing", "this looks like a vGPU guest",
                   "egpu is not tested on virtual GPUs");
  return ok("GPU sharing", "no MPS, no vGPU");
}

Check check_inject_library(const Installation& installation) {
  const fs::path library = installation.inject_library();
  std::error_code ignored;
  if (!fs::exists(library, ignored))
    return failure("injected library", library.string() + " is missing",
                   "keep libegpu_inject.so in the folder of the egpu executable");
  return ok("injected library", library.string());
}

Check check_emulator_folder(const Installation& installation) {
  if (const auto found = check_emulator(installation); !found)
    return warning("emulator", found.error().place + " is missing",
                   found.error().remedy + ": `egpu run --emulate` and `egpu demo` need it");
  return ok("emulator", installation.emulator_directory().string());
}

Check check_tools(const Installation& installation) {
  std::string names;
  for (const std::string& tool : installation.tools()) names += (names.empty() ? "" : ", ") + tool;
  if (names.empty())
    return warning(
        "bundled tools", "none in " + installation.tools_directory().string(),
        "keep share/egpu beside the folder of the egpu executable, or run objects of your own");
  return ok("bundled tools", names);
}

Check check_assembler(const Machine& machine) {
  const std::string name = "PTX assembler";
  if (const std::string chosen = machine.variable("EGPU_PTXAS"); !chosen.empty()) {
    if (machine.can_execute(chosen)) return ok(name, chosen + " (EGPU_PTXAS)");
    return failure(name, chosen + " is no executable file",
                   "`egpu run` uses what EGPU_PTXAS names and nothing else: correct or unset it");
  }
  const auto ptxas = find_program(machine, {"ptxas"},
                                  {machine.variable("CUDA_HOME") + "/bin", "/usr/local/cuda/bin"});
  if (ptxas) return ok(name, ptxas->string());
  for (const char* library_name : {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"})
    if (const auto library = find_library(machine, library_name))
      return ok(name, library->string());
  return warning(name, "no ptxas and no libnvJitLink",
                 "the driver assembles modules itself, which makes first starts slower");
}

Check check_cache(const Machine& machine) {
  const std::string name = "cache";
  const auto found = session::cache_directory(machine.environment);
  if (!found) return warning(name, found.error().message, found.error().remedy);
  const std::string directory = found->string();
  struct stat status{};
  if (::stat(machine.file(directory).c_str(), &status) != 0)
    return ok(name, directory + " (made at the first run)");
  if (!S_ISDIR(status.st_mode))
    return warning(name, directory + " is not a folder",
                   "remove it: `egpu run` needs --no-cache until then");
  if (status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return warning(name, directory + " is not yours alone",
                   "chmod 700 and chown it: `egpu run` needs --no-cache until then");
  return ok(name, directory);
}

Check check_clang(const Machine& machine) {
  std::vector<std::string> names = {"clang"};
  for (unsigned version = kNewestClang; version >= kOldestClang; --version)
    names.push_back(fmt::format("clang-{}", version));
  const auto clang = find_program(machine, names);
  if (!clang)
    return warning("clang", "not found",
                   "needed only to compile eBPF programs of your own (clang -target bpf)");
  return ok("clang", clang->string());
}

}  // namespace

std::vector<Check> examine(const Machine& machine, const Installation& installation) {
  return {check_platform(machine),
          check_gpu(machine),
          check_driver(machine),
          check_cuda_library(machine),
          check_sharing(machine),
          check_inject_library(installation),
          check_emulator_folder(installation),
          check_tools(installation),
          check_assembler(machine),
          check_cache(machine),
          check_clang(machine)};
}

}  // namespace egpu::cli
