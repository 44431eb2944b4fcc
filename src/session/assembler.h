// PTX to machine code for one device: by ptxas where there is one, else by libnvJitLink, else by
// the driver itself, which is given the PTX (and takes longer, in the observed process).
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fatbin/fatbin.h"
#include "session/environment.h"

namespace egpu::session {

// What machine code is made for.
struct Target {
  unsigned major;
  unsigned minor;
  char suffix;  // 'a' or 'f' where the PTX's .target has it, else 0
};
std::string to_string(const Target& target);  // "sm_90a"

// The target for assembling `ptx` for a device: code for sm_90a must be assembled as such. An Error
// where the device cannot run it.
Result<Target> target_for(std::string_view ptx_untrusted, fatbin::ComputeCapability device);

// Where assemblers are looked for.
struct AssemblerSearch {
  std::filesystem::path ptxas;      // what the user asked for (EGPU_PTXAS): this one or an error
  std::string path;                 // PATH
  std::filesystem::path cuda_home;  // CUDA_HOME
  std::filesystem::path toolkit = "/usr/local/cuda";
  std::chrono::milliseconds timeout = std::chrono::minutes(2);  // for one run of ptxas
};
AssemblerSearch search_from(const EnvironmentLookup& environment);

struct Assembled {
  // A cubin, or the PTX text with its terminating NUL for the driver to assemble.
  std::vector<std::byte> image;
  std::string by;  // the assembler's identity()
};

// One way to assemble. Thread-safe.
class AssemblerBackend {
 public:
  virtual ~AssemblerBackend() = default;
  // `options` are ptxas's, one a word. The message of an Error is the assembler's own, its place
  // the line of the PTX.
  [[nodiscard]] virtual Result<std::vector<std::byte>> assemble(
      std::string_view ptx, const std::string& target,
      const std::vector<std::string>& options) const = 0;
  [[nodiscard]] virtual std::string identity() const = 0;
};

// Copyable; thread-safe.
class Assembler {
 public:
  // The driver.
  Assembler() = default;
  explicit Assembler(std::shared_ptr<const AssemblerBackend> backend)
      : backend_(std::move(backend)) {}

  // The first of: ptxas as asked for, on PATH, in CUDA_HOME, in the toolkit; libnvJitLink; the
  // driver. Fails only where the ptxas that was asked for does not work.
  static Result<Assembler> find(const AssemblerSearch& search);

  // Name and version: "ptxas 13.0.88", "nvJitLink 13.0", "driver". Part of the key of whatever is
  // cached.
  [[nodiscard]] std::string identity() const;

  // Only ptxas takes options; the others refuse PTX that needs some.
  [[nodiscard]] Result<Assembled> assemble(std::string_view ptx, const Target& target,
                                           const std::vector<std::string>& options = {}) const;

 private:
  std::shared_ptr<const AssemblerBackend> backend_;  // null: the driver
};

}  // namespace egpu::session
